// SPDX-License-Identifier: Apache-2.0
#pragma once

// The columns of a table of lines, between the line's number and its source. Which there are
// depends on what the profile has and how wide the terminal is:
//
//   from 132 columns  Time by kind (Python, native, system, idle), Wait, GPU (busy, memory), Await,
//                     Memory (Python's part, peak, timeline and share of all bytes), Copy
//   from 110          without Python's part of the memory, memory of the GPU, and Copy
//   from 90           without the memory's timeline as well
//   from 70           Time (the sum, and a letter for its largest part), peak
//   from 50           Time alone
//   below             none: what there is to say stands below the source

#include "profile/profile.h"
#include "render/cell.h"
#include "render/paint.h"
#include "render/terminal.h"

#define COLUMN_MAX 14

struct column {
    const char *group; // stands above the first column that has it
    const char *name;
    size_t width;
    void (*paint)(struct canvas *canvas, const struct cell_row *row, size_t width);
};

// What some line has noticeably much of, or what was asked for.
enum column_fact {
    COLUMN_IDLE = 1,
    COLUMN_WAIT = 2,
    COLUMN_AWAIT = 4,
    COLUMN_MEMORY = 8,
    COLUMN_COPY = 16,
    COLUMN_ERRORS = 32,
    COLUMN_GPU = 64,
};

struct column_set {
    struct column columns[COLUMN_MAX];
    size_t count;
    unsigned facts;  // of enum column_fact
    bool is_missing; // a wider terminal would show more
};

void column_choose(struct column_set *set, const struct profile *profile,
                   const struct canvas *canvas, const struct terminal_options *options);
bool column_is_shown(const struct column_set *set,
                     void (*paint)(struct canvas *canvas, const struct cell_row *row,
                                   size_t width));

// "From 90 columns on: time by kind; from 132: copies." Nothing if all are there.
void column_say_missing(const struct column_set *set, size_t width, struct text *out);
