// SPDX-License-Identifier: Apache-2.0
#pragma once

// What every hook is made of. A hook is a cancellation point exactly where its original is one, as
// it calls it on the program's own thread; errno and the result are the original's.

#include "agent/real.h"
#include "agent/wait.h"

// From this size on, a transfer is worth asking how much of it was computing.
#define HOOK_LONG_TRANSFER 16384

#define HOOK __attribute__((visibility("default")))

// Told of every file that is opened, where somebody wants to know; NULL otherwise.
extern void (*hook_on_open)(const char *path);

#define X(type, name, parameters, arguments, version) HOOK type name parameters;

HOOK_LIST(X)

#undef X

// A whole hook: measures the original. `may_work_long` and `end`, the call that ends the wait, are
// expressions over the parameters, `scope` and `result`.
#define HOOK_DEFINE(type, name, parameters, arguments, may_work_long, end) \
    type name parameters                                                   \
    {                                                                      \
        if (!wait_is_measured()) {                                         \
            return REAL(name) arguments;                                   \
        }                                                                  \
        struct wait_scope scope;                                           \
        wait_begin(&scope, may_work_long);                                 \
        type result = REAL(name) arguments;                                \
        end;                                                               \
        return result;                                                     \
    }
