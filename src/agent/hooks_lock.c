// SPDX-License-Identifier: Apache-2.0

// Hooks of locks. The interpreter's own lock is told by its address, in wait_end_lock.

#include <errno.h>
#include <linux/futex.h>
#include <sys/syscall.h>

#include "agent/hook.h"

#define X(type, name, parameters, arguments, version) \
    HOOK_DEFINE(type, name, parameters, arguments, false, wait_end_lock(&scope, lock))

HOOKS_LOCK(X)

#undef X

#define X(type, name, parameters, arguments, version) \
    HOOK_DEFINE(type, name, parameters, arguments, false, wait_end(&scope, WAIT_LOCK))

HOOKS_OTHER_LOCK(X)

#undef X

// A lock that is free is taken without a look at the clock. Everything else, errors too, is left to
// the original: only it knows a deadlock from a lock that is held.
#define MUTEX_HOOK(name, try_name, lock_type)      \
    int name(lock_type *lock)                      \
    {                                              \
        if (!wait_is_measured()) {                 \
            return REAL(name)(lock);               \
        }                                          \
        int status = REAL(try_name)(lock);         \
        if (status == 0 || status == EOWNERDEAD) { \
            return status;                         \
        }                                          \
        struct wait_scope scope;                   \
        wait_begin(&scope, false);                 \
        status = REAL(name)(lock);                 \
        wait_end_lock(&scope, lock);               \
        return status;                             \
    }

MUTEX_HOOK(pthread_mutex_lock, pthread_mutex_trylock, pthread_mutex_t)
MUTEX_HOOK(pthread_rwlock_rdlock, pthread_rwlock_tryrdlock, pthread_rwlock_t)
MUTEX_HOOK(pthread_rwlock_wrlock, pthread_rwlock_trywrlock, pthread_rwlock_t)
MUTEX_HOOK(mtx_lock, mtx_trylock, mtx_t)

static bool is_futex_wait(int operation)
{
    switch (operation & FUTEX_CMD_MASK) {
    case FUTEX_WAIT:
    case FUTEX_WAIT_BITSET:
    case FUTEX_WAIT_REQUEUE_PI:
    case FUTEX_LOCK_PI:
        return true;
    default:
        return false;
    }
}

// Declared apart from the C library's variadic one, so that all six arguments pass unchanged and
// every other call is a jump: a child that the call makes must find the program's own stack frame.
HOOK long hook_syscall(long number, long a, long b, long c, long d, long e,
                       long f) __asm__("syscall");

typedef long real_syscall(long, long, long, long, long, long, long);

static long measure_futex(long number, long a, long b, long c, long d, long e, long f)
{
    struct wait_scope scope;
    wait_begin(&scope, false);
    long result = ((real_syscall *)REAL(syscall))(number, a, b, c, d, e, f);
    wait_end_lock(&scope, (const void *)a);
    return result;
}

long hook_syscall(long number, long a, long b, long c, long d, long e, long f)
{
    if (number == SYS_futex && is_futex_wait((int)b) && wait_is_measured()) {
        return measure_futex(number, a, b, c, d, e, f);
    }
    return ((real_syscall *)REAL(syscall))(number, a, b, c, d, e, f);
}
