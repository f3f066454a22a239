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
