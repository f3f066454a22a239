// SPDX-License-Identifier: Apache-2.0
#pragma once

// The table of a file's lines: number, shares of T by kind, seconds waited, memory, source text.
// Which columns there are depends on what the profile has and how wide the terminal is:
//
//   from 130 columns Line, Python, native, system, idle, wait, memory (Python's part, peak,
//   timeline
//                    and share of all bytes, copies), source
//   from 90          of memory the peak only
//   from 70          the same, without wait if there is idle
//   from 50          Line, Time (the sum, and a letter for its largest part), peak, source
//   below            no table: the source, and under it what there is to say

#include "profile/profile.h"
#include "render/cell.h"
#include "render/paint.h"

#define TABLE_COLUMNS_MAX 10

struct table_column {
    const char *group; // stands above the name
    const char *name;
    size_t width;
    void (*paint)(struct canvas *canvas, const struct cell_row *row, size_t width);
};

struct table {
    const struct profile *profile;
    struct canvas *canvas;
    bool is_reduced;
    struct table_column columns[TABLE_COLUMNS_MAX]; // between the line and the source
    size_t column_count;                            // 0: too narrow for a table
    bool has_idle;                                  // some line idles, or waits, noticeably
    bool has_wait;
    bool has_memory; // some line holds noticeably much
    bool has_copy;
    bool is_missing_wait; // there are waits, but no room for their column
};

void table_init(struct table *table, const struct profile *profile, struct canvas *canvas,
                bool is_reduced);
void table_render(const struct table *table, const struct profile_file *file);

// What percentages, letters and missing columns mean.
void table_legend(const struct table *table, struct text *out);
