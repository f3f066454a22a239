// SPDX-License-Identifier: Apache-2.0

// Hooks of locks. The interpreter's own lock is told by its address, in wait_end_lock.

#include <errno.h>

#include "agent/hook.h"

#define X(type, name, parameters, arguments, version) \
    HOOK_DEFINE(type, name, parameters, arguments, false, wait_end_lock(&scope, lock))

HOOKS_LOCK(X)

#undef X

#define X(type, name, parameters, arguments, version) \
    HOOK_DEFINE(type, name, parameters, arguments, false, wait_end(&scope, WAIT_LOCK))

HOOKS_OTHER_LOCK(X)

#undef X

// Robust, priority-inheriting and priority-protected mutexes.
#define SPECIAL_KINDS (16 | 32 | 64)

// A try at a robust mutex that is lost would leave it locked for ever (seen on glibc 2.36).
static int try_mutex(pthread_mutex_t *lock)
{
    return lock->__data.__kind & SPECIAL_KINDS ? EBUSY : REAL(pthread_mutex_trylock)(lock);
}

// A lock that is free is taken without a look at the clock. Everything else, errors too, is left to
// the original: only it knows a deadlock from a lock that is held.
#define FREE_LOCK_HOOK(name, lock_type, attempt) \
    int name(lock_type *lock)                    \
    {                                            \
        if (!wait_is_measured()) {               \
            return REAL(name)(lock);             \
        }                                        \
        if (attempt == 0) {                      \
            return 0;                            \
        }                                        \
        struct wait_scope scope;                 \
        wait_begin(&scope, false);               \
        int status = REAL(name)(lock);           \
        wait_end_lock(&scope, lock);             \
        return status;                           \
    }

FREE_LOCK_HOOK(pthread_mutex_lock, pthread_mutex_t, try_mutex(lock))
FREE_LOCK_HOOK(pthread_rwlock_rdlock, pthread_rwlock_t, REAL(pthread_rwlock_tryrdlock)(lock))
FREE_LOCK_HOOK(pthread_rwlock_wrlock, pthread_rwlock_t, REAL(pthread_rwlock_trywrlock)(lock))
FREE_LOCK_HOOK(mtx_lock, mtx_t, REAL(mtx_trylock)(lock))
