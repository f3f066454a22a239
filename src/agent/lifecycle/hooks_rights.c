// SPDX-License-Identifier: Apache-2.0

// Hooks of functions after which the run's directory may be out of reach: who is to be profiled
// makes its ring before, and the table of its coroutines. A child that is about to start a program
// is not made to have one.

#include "agent/await_sums.h"
#include "agent/hook.h"
#include "agent/session.h"
#include "agent/vfork_child.h"

#define X(type, name, parameters, arguments, version)               \
    type name parameters                                            \
    {                                                               \
        if (!vfork_child_runs && atomic_load(&session.is_active)) { \
            session_ring();                                         \
            await_sums_prepare();                                   \
        }                                                           \
        return REAL(name) arguments;                                \
    }

HOOKS_RIGHTS(X)

#undef X
