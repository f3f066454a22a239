// SPDX-License-Identifier: Apache-2.0
#include "render/cell.h"

#include <stdio.h>

#include "profile/amount.h"
#include "render/sentence.h"
#include "render/sparkline.h"

#define WAIT_SHOWN_S    0.0005
#define SPARKLINE_WIDTH 9

void cell_number(struct canvas *canvas, const struct cell_row *row, size_t width)
{
    char text[16];
    snprintf(text, sizeof text, "%s%d ", row->is_hot ? "*" : "", row->number);
    enum paint paint = row->is_hot ? PAINT_HOT : row->is_active ? PAINT_PLAIN : PAINT_DIM;
    paint_right(canvas, paint, text, width);
}

static void add_amount(struct text *out, const struct cell_row *row, double percent)
{
    if (row->has_seconds && percent > 0) {
        amount_duration(out, percent / 100 * row->total_s);
    } else {
        amount_percent(out, percent);
    }
}

static void add_share(struct canvas *canvas, const struct cell_row *row, double percent,
                      enum paint paint, size_t width)
{
    struct text text = {0};
    add_amount(&text, row, percent);
    if (percent < CELL_SMALL_PERCENT) {
        paint = PAINT_DIM;
    } else if (row->is_hot) {
        paint = PAINT_HOT;
    }
    paint_right(canvas, paint, text.data ? text.data : "", width - 1);
    text_clear(&text);
    text_add_char(canvas->out, ' ');
}

void cell_python(struct canvas *canvas, const struct cell_row *row, size_t width)
{
    add_share(canvas, row, row->percent.python, PAINT_PYTHON, width);
}

void cell_native(struct canvas *canvas, const struct cell_row *row, size_t width)
{
    add_share(canvas, row, row->percent.native, PAINT_NATIVE, width);
}

void cell_system(struct canvas *canvas, const struct cell_row *row, size_t width)
{
    add_share(canvas, row, row->percent.system, PAINT_SYSTEM, width);
}

void cell_idle(struct canvas *canvas, const struct cell_row *row, size_t width)
{
    add_share(canvas, row, row->percent.idle, PAINT_IDLE, width);
}

void cell_error(struct canvas *canvas, const struct cell_row *row, size_t width)
{
    struct text text = {0};
    double error = row->percent.error;
    if (error > 0 && row->has_seconds) {
        amount_duration(&text, error / 100 * row->total_s);
    } else if (error > 0) {
        text_format(&text, "%.2g", error);
    }
    paint_right(canvas, PAINT_DIM, text.data ? text.data : "", width - 1);
    text_clear(&text);
    text_add_char(canvas->out, ' ');
}

void cell_wait(struct canvas *canvas, const struct cell_row *row, size_t width)
{
    struct text text = {0};
    int kind = sentence_main_wait(row->times);
    double wait_s = profile_times_wait_s(row->times);
    if (kind >= 0 && wait_s >= WAIT_SHOWN_S) {
        amount_duration(&text, wait_s);
        text_format(&text, " %c", sentence_wait_letter((enum profile_wait)kind));
    }
    bool is_small = wait_s * 100 < CELL_SMALL_PERCENT * row->total_s;
    paint_right(canvas, is_small ? PAINT_DIM : PAINT_IDLE, text.data ? text.data : "", width - 1);
    text_clear(&text);
    text_add_char(canvas->out, ' ');
}

void cell_await(struct canvas *canvas, const struct cell_row *row, size_t width)
{
    double all_s = row->profile->await_s;
    add_share(canvas, row, all_s > 0 ? 100 * row->async->await_s / all_s : 0, PAINT_IDLE, width);
}

void cell_gpu(struct canvas *canvas, const struct cell_row *row, size_t width)
{
    struct text text = {0};
    double percent = profile_gpu_percent(row->gpu);
    if (percent > 0) {
        amount_percent(&text, percent);
    }
    paint_right(canvas, percent < CELL_SMALL_PERCENT ? PAINT_DIM : PAINT_NATIVE,
                text.data ? text.data : "", width - 1);
    text_clear(&text);
    text_add_char(canvas->out, ' ');
}

void cell_gpu_memory(struct canvas *canvas, const struct cell_row *row, size_t width)
{
    struct text text = {0};
    if (row->gpu->peak_mb > 0) {
        amount_size(&text, row->gpu->peak_mb);
    }
    paint_right(canvas, PAINT_MEMORY, text.data ? text.data : "", width - 1);
    text_clear(&text);
    text_add_char(canvas->out, ' ');
}

static bool has_small_peak(const struct cell_row *row)
{
    return row->memory->peak_mb * 100 < CELL_SMALL_PERCENT * row->profile->footprint.max_mb;
}

static void add_memory(struct canvas *canvas, const struct cell_row *row, const struct text *text,
                       size_t width)
{
    enum paint paint = has_small_peak(row) ? PAINT_DIM : row->is_hot ? PAINT_HOT : PAINT_MEMORY;
    paint_right(canvas, paint, text->data ? text->data : "", width - 1);
    text_add_char(canvas->out, ' ');
}

void cell_memory_python(struct canvas *canvas, const struct cell_row *row, size_t width)
{
    struct text text = {0};
    double allocated_mb = row->memory->allocated_mb;
    if (allocated_mb > 0) {
        amount_percent(&text, 100 * row->memory->python_mb / allocated_mb);
    }
    add_memory(canvas, row, &text, width);
    text_clear(&text);
}

void cell_peak(struct canvas *canvas, const struct cell_row *row, size_t width)
{
    struct text text = {0};
    amount_size(&text, row->memory->peak_mb);
    add_memory(canvas, row, &text, width);
    text_clear(&text);
}

void cell_timeline(struct canvas *canvas, const struct cell_row *row, size_t width)
{
    struct text text = {0};
    struct text share = {0};
    const struct sparkline line = {row->memory->points, row->memory->point_count,
                                   row->profile->elapsed_s, row->profile->footprint.max_mb};
    if (row->memory->point_count > 0) {
        sparkline_add(canvas, &line, SPARKLINE_WIDTH, &text);
    }
    amount_percent(&share, 100 * row->memory->usage_fraction);
    text_format(&text, "%*s", (int)(width - 1 - SPARKLINE_WIDTH), share.data ? share.data : "");
    add_memory(canvas, row, &text, width);
    text_clear(&share);
    text_clear(&text);
}

void cell_copy(struct canvas *canvas, const struct cell_row *row, size_t width)
{
    struct text text = {0};
    double elapsed_s = row->profile->elapsed_s;
    double rate = elapsed_s > 0 ? row->memory->copied_mb / elapsed_s : 0;
    if (rate >= CELL_COPY_MB_S) {
        text_format(&text, "%.0f", rate);
    }
    paint_right(canvas, PAINT_MEMORY, text.data ? text.data : "", width - 1);
    text_clear(&text);
    text_add_char(canvas->out, ' ');
}

static char main_part(const struct percent *percent)
{
    const double parts[] = {percent->python, percent->native, percent->system, percent->idle};
    int most = 0;
    for (int i = 1; i < 4; i++) {
        if (parts[i] > parts[most]) {
            most = i;
        }
    }
    return "PNSI"[most];
}

void cell_sum(struct canvas *canvas, const struct cell_row *row, size_t width)
{
    struct text text = {0};
    double sum = percent_sum(&row->percent);
    if (sum > 0) {
        add_amount(&text, row, sum);
        text_format(&text, " %c", main_part(&row->percent));
    }
    enum paint paint = row->is_hot ? PAINT_HOT : sum < CELL_SMALL_PERCENT ? PAINT_DIM : PAINT_PLAIN;
    paint_right(canvas, paint, text.data ? text.data : "", width - 1);
    text_clear(&text);
    text_add_char(canvas->out, ' ');
}

void cell_source(struct canvas *canvas, const struct cell_row *row, size_t room)
{
    enum paint paint = row->is_hot ? PAINT_TITLE : PAINT_PLAIN;
    size_t len = row->len;
    while (len > 0 && (row->text[len - 1] == ' ' || row->text[len - 1] == '\t')) {
        len--;
    }
    if (len > 0) {
        paint_start(canvas, paint);
        paint_clipped(canvas, row->text, len, room);
        paint_stop(canvas, paint);
    }
    text_add_char(canvas->out, '\n');
}
