// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the terminal behind a stream can show.

#include <stdbool.h>
#include <stdio.h>

struct screen {
    unsigned width; // columns; 0: not a terminal, and COLUMNS does not say
    bool has_color;
    bool is_utf8;
};

// From COLUMNS, NO_COLOR, CLICOLOR_FORCE, FORCE_COLOR, TERM, the locale and the stream itself.
struct screen screen_of(FILE *stream);
