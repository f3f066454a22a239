// SPDX-License-Identifier: Apache-2.0
#pragma once

// The blocks of a Python source text: functions, classes, loops and conditions, found by tokens
// and indentation alone, so it holds for every version of the language and for text that no
// interpreter here could parse.

#include "profile/source.h"

struct outline;

struct outline_range {
    int first;
    int last;
};

// Where a line stands, in the words of the profile format.
struct outline_place {
    struct outline_range region;         // innermost loop, else function, else class, else itself
    struct outline_range outermost_loop; // else the block that the line opens, else itself
    struct outline_range function;       // smallest function or class around it, else 0, 0
    struct outline_range statement;      // of several lines, else itself
};

// The outline keeps nothing of the source.
struct outline *outline_new(const struct source *source);
void outline_free(struct outline *outline);

struct outline_place outline_find(const struct outline *outline, int line);

// The qualified name of the function whose code object is called `name` and starts at a line
// (that of its first decorator, if it has any), as Python 3.11 and later give it:
// "Class.method", "outer.<locals>.inner". The plain name if there is no such function.
// The caller frees it.
char *outline_qualified_name(const struct outline *outline, int first_line, const char *name);

// The innermost function around a line, NULL at the level of the module or of a class. The caller
// frees the name; *first_line is the one its code object has.
char *outline_enclosing_function(const struct outline *outline, int line, int *first_line);
