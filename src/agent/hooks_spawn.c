// SPDX-License-Identifier: Apache-2.0

// Hooks of functions that start a process: it takes over the mask that the program believes in.

#include "agent/hidden_signal.h"
#include "agent/hook.h"

#define X(type, name, parameters, arguments_, version) \
    type name parameters                               \
    {                                                  \
        struct wait_scope scope;                       \
        hidden_signal_before_spawn();                  \
        wait_begin(&scope, false);                     \
        type result = REAL(name) arguments_;           \
        wait_end(&scope, WAIT_CHILD);                  \
        hidden_signal_after_spawn();                   \
        return result;                                 \
    }

HOOKS_SPAWN(X)

#undef X
