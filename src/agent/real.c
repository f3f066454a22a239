// SPDX-License-Identifier: Apache-2.0
#include "agent/real.h"

#include <errno.h>
#include <string.h>

#include "agent/symbol.h"

struct real real;

_Static_assert(sizeof real == REAL_COUNT * sizeof(void *), "nothing but function pointers");

struct original {
    const char *name;
    const char *version;
};

#define X(type, name, parameters, arguments, version) {#name, version},

static const struct original originals[REAL_COUNT] = {HOOK_LIST(X) REAL_ONLY(X)};

#undef X

// A program can only come here through a weak reference, which our export has made non-null.
static long fail_with_errno(void)
{
    errno = ENOSYS;
    return -1;
}

static long fail_with_status(void)
{
    return ENOSYS;
}

static void *substitute(const char *name)
{
    return strncmp(name, "pthread_", sizeof "pthread_" - 1) == 0 ? (void *)fail_with_status
                                                                 : (void *)fail_with_errno;
}

static void *look_up(const struct symbol_scope *scope, enum real_index index)
{
    return symbol_find(scope, originals[index].name, originals[index].version);
}

static void store(enum real_index index, void *address)
{
    __atomic_store_n((void **)&real + index, address, __ATOMIC_RELEASE);
}

void real_resolve(void)
{
    struct symbol_scope scope;
    symbol_scope_init(&scope);
    for (unsigned i = 0; i < REAL_COUNT; i++) {
        if (!((void **)&real)[i]) {
            store(i, look_up(&scope, i));
        }
    }
}

// What is missing now may come with a library that the program loads later: not remembered.
void *real_find(enum real_index index)
{
    struct symbol_scope scope;
    symbol_scope_init(&scope);
    void *address = look_up(&scope, index);
    store(index, address);
    return address ? address : substitute(originals[index].name);
}

__attribute__((constructor(101))) static void resolve_early(void)
{
    real_resolve();
}
