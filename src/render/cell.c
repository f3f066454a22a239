// SPDX-License-Identifier: Apache-2.0
#include "render/cell.h"

#include <stdio.h>

#include "render/sentence.h"

#define WAIT_SHOWN_S 0.0005

void cell_number(struct canvas *canvas, const struct cell_row *row, size_t width)
{
    char text[16];
    snprintf(text, sizeof text, "%s%d ", row->is_hot ? "*" : "", row->number);
    enum paint paint = row->is_hot ? PAINT_HOT : row->is_active ? PAINT_PLAIN : PAINT_DIM;
    paint_right(canvas, paint, text, width);
}

static void add_share(struct canvas *canvas, const struct cell_row *row, double percent,
                      enum paint paint, size_t width)
{
    struct text text = {0};
    sentence_percent(&text, percent);
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

void cell_wait(struct canvas *canvas, const struct cell_row *row, size_t width)
{
    struct text text = {0};
    int kind = sentence_main_wait(row->times);
    double wait_s = profile_times_wait_s(row->times);
    if (kind >= 0 && wait_s >= WAIT_SHOWN_S) {
        sentence_short_duration(&text, wait_s);
        text_format(&text, " %c", sentence_wait_letter((enum profile_wait)kind));
    }
    bool is_small = wait_s * 100 < CELL_SMALL_PERCENT * row->total_s;
    paint_right(canvas, is_small ? PAINT_DIM : PAINT_IDLE, text.data ? text.data : "", width - 1);
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
        sentence_percent(&text, sum);
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
