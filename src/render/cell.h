// SPDX-License-Identifier: Apache-2.0
#pragma once

// The cells of a table of lines: each function fills one, right-aligned, in `width` columns.

#include "profile/percent.h"
#include "render/paint.h"

#define CELL_HOT_PERCENT   33  // the original's mark for what one should look at
#define CELL_SMALL_PERCENT 1   // below: dim
#define CELL_COPY_MB_S     0.5 // less is not shown

struct cell_row {
    int number;
    const char *text;
    size_t len; // without the line's end
    const struct profile_times *times;
    const struct profile_memory *memory;
    const struct profile_async *async;
    const struct profile_gpu *gpu;
    const struct profile *profile;
    struct percent percent;
    double total_s;
    bool is_active;
    bool is_hot;
    bool has_seconds; // instead of percentages
};

void cell_number(struct canvas *canvas, const struct cell_row *row, size_t width);
void cell_python(struct canvas *canvas, const struct cell_row *row, size_t width);
void cell_native(struct canvas *canvas, const struct cell_row *row, size_t width);
void cell_system(struct canvas *canvas, const struct cell_row *row, size_t width);
void cell_idle(struct canvas *canvas, const struct cell_row *row, size_t width);
void cell_error(struct canvas *canvas, const struct cell_row *row, size_t width);
void cell_wait(struct canvas *canvas, const struct cell_row *row, size_t width);

// What tasks waited on this line, of all that they waited.
void cell_await(struct canvas *canvas, const struct cell_row *row, size_t width);

// How busy the GPU was while a thread was here, and the most memory in use there meanwhile.
void cell_gpu(struct canvas *canvas, const struct cell_row *row, size_t width);
void cell_gpu_memory(struct canvas *canvas, const struct cell_row *row, size_t width);

// Memory: the part that is Python's, the most held at once, what was held over time with the share
// of all bytes allocated, and bytes copied a second.
void cell_memory_python(struct canvas *canvas, const struct cell_row *row, size_t width);
void cell_peak(struct canvas *canvas, const struct cell_row *row, size_t width);
void cell_timeline(struct canvas *canvas, const struct cell_row *row, size_t width);
void cell_copy(struct canvas *canvas, const struct cell_row *row, size_t width);

// All shares as one, with the letter of the largest: P, N, S or I.
void cell_sum(struct canvas *canvas, const struct cell_row *row, size_t width);

// The source text in what is left of the line, and the line's end.
void cell_source(struct canvas *canvas, const struct cell_row *row, size_t room);
