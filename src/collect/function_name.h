// SPDX-License-Identifier: Apache-2.0
#pragma once

// The function that a line is counted for: comprehensions and lambdas belong to the named function
// around them, code of a module to none.

#include <stdbool.h>

#include "profile/outline.h"

// Of the code object with this name, as the interpreter tells it. The caller frees the text, which
// is NULL for none; *first_line becomes that of the function named. `outline` may be NULL.
char *function_name(const char *name, bool is_qualified, int line, int *first_line,
                    struct outline *outline);
