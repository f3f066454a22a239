// SPDX-License-Identifier: Apache-2.0
#pragma once

// A profile as text for a terminal: where the time went in one sentence, a table of lines for each
// file, functions, and how far to trust it. A pure function: no clock, no files, no environment.

#include <stdbool.h>

#include "base/text.h"
#include "profile/profile.h"
#include "render/order.h"

struct terminal_options {
    unsigned width;     // columns; 0: 132
    bool has_color;     // SGR sequences of the 16 theme colours, no backgrounds
    bool is_utf8;       // else boxes and dots are ASCII, and other characters '?'
    bool is_reduced;    // only lines that have data
    bool has_seconds;   // seconds instead of percentages
    bool has_errors;    // a column with the half-width of each share's interval
    enum order_key key; // other than ORDER_line: the heaviest lines of each file first
    size_t row_max;     // of each file; 0: all
};

void terminal_render(const struct profile *profile, const struct terminal_options *options,
                     struct text *out);
