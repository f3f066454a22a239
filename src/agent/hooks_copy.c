// SPDX-License-Identifier: Apache-2.0

// Hooks of what copies. Another library may call memcpy while the loader still chooses functions,
// when nothing of ours can be looked up and not even our thread-local data be found: until the
// originals are known such a copy is made in place, and not counted.

#include "agent/copy_sampler.h"
#include "agent/hook.h"
#include "agent/plain_copy.h"

// The common case is a test, a subtraction and a jump, with no frame of its own.
#define COPY_HOOK(name, early)                                                                    \
    static                                                                                        \
        __attribute__((noinline, cold)) void *name##_slow(void *to, const void *from, size_t len) \
    {                                                                                             \
        if (!real.name) {                                                                         \
            return early;                                                                         \
        }                                                                                         \
        copy_sampler_reach(len);                                                                  \
        return real.name(to, from, len);                                                          \
    }                                                                                             \
    void *name(void *to, const void *from, size_t len)                                            \
    {                                                                                             \
        return __builtin_expect(real.name != NULL, 1) && copy_sampler_passes(len)                 \
                   ? real.name(to, from, len)                                                     \
                   : name##_slow(to, from, len);                                                  \
    }

COPY_HOOK(memcpy, plain_copy(to, from, len))
COPY_HOOK(memmove, plain_copy(to, from, len))
COPY_HOOK(mempcpy, (char *)plain_copy(to, from, len) + len)
COPY_HOOK(__mempcpy, (char *)plain_copy(to, from, len) + len)

#define X(type, name, parameters, arguments, version) \
    type name parameters                              \
    {                                                 \
        copy_sampler_add(len);                        \
        return REAL(name) arguments;                  \
    }

HOOKS_CHECKED_COPY(X)

#undef X

// Of text only the end of the copy tells how long it was: the sister that returns it does the work.
static inline char *add(const char *to, char *end)
{
    copy_sampler_add((uint64_t)(end - to));
    return end;
}

char *stpcpy(char *to, const char *from)
{
    return add(to, REAL(stpcpy)(to, from));
}

char *__stpcpy(char *to, const char *from)
{
    return add(to, REAL(stpcpy)(to, from));
}

char *strcpy(char *to, const char *from)
{
    add(to, REAL(stpcpy)(to, from));
    return to;
}

char *stpncpy(char *to, const char *from, size_t len)
{
    return add(to, REAL(stpncpy)(to, from, len));
}

char *strncpy(char *to, const char *from, size_t len)
{
    add(to, REAL(stpncpy)(to, from, len));
    return to;
}

char *strcat(char *to, const char *from)
{
    copy_sampler_add(strlen(from));
    return REAL(strcat)(to, from);
}

char *__stpcpy_chk(char *to, const char *from, size_t room)
{
    return add(to, REAL(__stpcpy_chk)(to, from, room));
}

char *__strcpy_chk(char *to, const char *from, size_t room)
{
    add(to, REAL(__stpcpy_chk)(to, from, room));
    return to;
}

char *__stpncpy_chk(char *to, const char *from, size_t len, size_t room)
{
    return add(to, REAL(__stpncpy_chk)(to, from, len, room));
}

char *__strncpy_chk(char *to, const char *from, size_t len, size_t room)
{
    add(to, REAL(__stpncpy_chk)(to, from, len, room));
    return to;
}

char *__strcat_chk(char *to, const char *from, size_t room)
{
    copy_sampler_add(strlen(from));
    return REAL(__strcat_chk)(to, from, room);
}
