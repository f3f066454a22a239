// SPDX-License-Identifier: Apache-2.0

// Hooks of functions that start a shell: the child takes over the mask that the program believes
// in.

#include "agent/hidden_signal.h"
#include "agent/hook.h"

int system(const char *command)
{
    struct wait_scope scope;
    hidden_signal_before_spawn();
    wait_begin(&scope, false);
    int status = REAL(system)(command);
    wait_end(&scope, WAIT_CHILD);
    hidden_signal_after_spawn();
    return status;
}

FILE *popen(const char *command, const char *mode)
{
    struct wait_scope scope;
    hidden_signal_before_spawn();
    wait_begin(&scope, false);
    FILE *stream = REAL(popen)(command, mode);
    wait_end(&scope, WAIT_CHILD);
    hidden_signal_after_spawn();
    return stream;
}
