// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which Python runs the program: the one asked for; else that of the virtual environment that this
// command was called in; else the active virtual environment's; else the one the script's first
// line names; else the first `python3` in PATH, else `python`.

#include <stdbool.h>

#include "base/error.h"

struct interpreter_request {
    const char *asked;       // --python: a path or a name; NULL: not given
    const char *command;     // as this one was called, links not followed; NULL: not known
    const char *virtual_env; // $VIRTUAL_ENV; NULL: none
    const char *script;      // NULL: the program is not a file
    const char *search;      // $PATH
};

struct interpreter {
    char *path; // what is executed
    char *name; // its argv[0]: what a user would have typed, so that sys.executable is the same
};

__attribute__((warn_unused_result)) bool interpreter_find(struct interpreter *interpreter,
                                                          const struct interpreter_request *request,
                                                          struct error *err);
void interpreter_clear(struct interpreter *interpreter);

// The Python named by the `#!` line of `script`, as it stands there (a path, or a name to be looked
// for in PATH when it goes through env); NULL when there is none. Belongs to the caller.
char *interpreter_from_shebang(const char *script);
