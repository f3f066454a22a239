// SPDX-License-Identifier: Apache-2.0

// Hooks of what copies. Another library may call memcpy while the loader still chooses functions,
// when nothing of ours can be looked up and not even our thread-local data be found: until the
// originals are known such a copy is made in place, and not counted.

#include "agent/copy_sampler.h"
#include "agent/hook.h"
#include "agent/plain_copy.h"

#define SMALL_MAX 32 // twice the largest piece below

// All that a copy asks for, in one cache line. `left_place` is where copy_sampler_left lies from
// the thread pointer, the same in all threads; 0 until originals and thread-local data may be used:
// one word tells both.
static struct {
    intptr_t left_place;
    void *(*memmove)(void *, const void *, size_t);
    void *(*mempcpy)(void *, const void *, size_t);
} known __attribute__((aligned(32)));

static inline bool passes(size_t len)
{
    intptr_t place = known.left_place;
    if (__builtin_expect(place == 0, 0)) {
        return false;
    }
    uint32_t __seg_fs *left = (uint32_t __seg_fs *)place;
    uint32_t now = *left;
    if (__builtin_expect(len >= now, 0)) {
        return false;
    }
    *left = now - (uint32_t)len;
    return true;
}

static void find_place(void)
{
    if (known.left_place == 0 && real.memmove && real.mempcpy) {
        known.memmove = real.memmove;
        known.mempcpy = real.mempcpy;
        intptr_t thread_pointer;
        __asm__("mov %%fs:0, %0" : "=r"(thread_pointer));
        // Last: another thread may look meanwhile.
        __atomic_store_n(&known.left_place, (intptr_t)&copy_sampler_left - thread_pointer,
                         __ATOMIC_RELEASE);
    }
}

// Both ends are read before either is written, so that they may overlap.
#define COPY_ENDS(type)                                                                 \
    do {                                                                                \
        type front, back;                                                               \
        __builtin_memcpy(&front, from, sizeof(type));                                   \
        __builtin_memcpy(&back, (const char *)from + len - sizeof(type), sizeof(type)); \
        __builtin_memcpy(to, &front, sizeof(type));                                     \
        __builtin_memcpy((char *)to + len - sizeof(type), &back, sizeof(type));         \
    } while (0)

// A few bytes are copied here: the original would do it so, and is one more jump away. Returns
// `end`, wherever it is done: with one return for all there is a jump to it.
static inline __attribute__((always_inline)) void *copy_small(void *to, const void *from,
                                                              size_t len, void *end)
{
    if (len >= 16) {
        COPY_ENDS(__int128);
        return end;
    }
    if (len >= 8) {
        COPY_ENDS(uint64_t);
        return end;
    }
    if (len >= 4) {
        COPY_ENDS(uint32_t);
        return end;
    }
    if (len >= 2) {
        COPY_ENDS(uint16_t);
        return end;
    }
    if (len == 1) {
        *(char *)to = *(const char *)from;
    }
    return end;
}

// The common case has no frame of its own: two tests, a subtraction, and a few moves or a jump.
#define COPY_HOOK(name, early, end)                                                               \
    static                                                                                        \
        __attribute__((noinline, cold)) void *name##_slow(void *to, const void *from, size_t len) \
    {                                                                                             \
        if (!real.name) {                                                                         \
            return early;                                                                         \
        }                                                                                         \
        find_place();                                                                             \
        copy_sampler_reach(len);                                                                  \
        return real.name(to, from, len);                                                          \
    }                                                                                             \
    void *name(void *to, const void *from, size_t len)                                            \
    {                                                                                             \
        if (!passes(len)) {                                                                       \
            return name##_slow(to, from, len);                                                    \
        }                                                                                         \
        if (len > SMALL_MAX) {                                                                    \
            return known.name(to, from, len);                                                     \
        }                                                                                         \
        return copy_small(to, from, len, end);                                                    \
    }

COPY_HOOK(memmove, plain_copy(to, from, len), to)
COPY_HOOK(mempcpy, (char *)plain_copy(to, from, len) + len, (char *)to + len)

// Programs linked before memcpy@GLIBC_2.14 may copy between overlapping places. As memmove they
// still can, and it is no slower: on the processors of today the C library has one function too.
#define SAME_HOOK(name, other) HOOK extern __typeof__(other) name __attribute__((alias(#other)))

SAME_HOOK(memcpy, memmove);
SAME_HOOK(__mempcpy, mempcpy);

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

SAME_HOOK(__stpcpy, stpcpy);

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
