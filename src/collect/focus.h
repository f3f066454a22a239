// SPDX-License-Identifier: Apache-2.0
#pragma once

// The functions that the program has decorated with `profile`. While there are none the report is
// about everything. Once there is one, time and memory belong to the innermost line of a decorated
// function, and the report is about these lines alone: what lies outside is left out, and a note
// says how much that was. A function within a decorated one is part of it.

#include <stdbool.h>
#include <stddef.h>

#include "base/map.h"
#include "collect/code_table.h"
#include "profile/profile.h"

struct focus_range {
    char *path;
    int first_line;
    int last_line;
};

// Zero-initialised: everything is in focus.
struct focus {
    struct focus_range *ranges;
    size_t count;
    size_t capacity;
    struct map known; // by the code's key: 1 outside, 2 inside
};

void focus_clear(struct focus *focus);
void focus_add(struct focus *focus, const struct code *code);

// Whether the code is a decorated function, or in one.
bool focus_has(struct focus *focus, const struct code *code);

// Leaves out of a profile that is filled what is not in focus.
void focus_limit(const struct focus *focus, struct profile *profile);
