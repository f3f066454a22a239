// SPDX-License-Identifier: Apache-2.0

// Hooks of waits for time, for children and for any signal.

#include "agent/hook.h"

#define X(type, name, parameters, arguments, version) \
    HOOK_DEFINE(type, name, parameters, arguments, false, wait_end(&scope, WAIT_SLEEP))

HOOKS_SLEEP(X)

#undef X

#define X(type, name, parameters, arguments, version) \
    HOOK_DEFINE(type, name, parameters, arguments, false, wait_end(&scope, WAIT_CHILD))

HOOKS_CHILD(X)

#undef X

HOOK_DEFINE(int, pause, (void), (), false, wait_end(&scope, WAIT_OTHER))
