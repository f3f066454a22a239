// SPDX-License-Identifier: Apache-2.0
#include "render/holders.h"

#include <stdlib.h>

#include "profile/amount.h"
#include "render/order.h"

#define HELD_WIDTH     7
#define HANGING        4
#define LISTED_MAX     5
#define LISTED_PERCENT 1 // of the footprint; less is not listed

static void add_size(struct text *out, double mb, const char *when)
{
    if (mb > 0) {
        text_add(out, ", ");
        amount_size(out, mb);
        text_format(out, " %s", when);
    }
}

static void add_line(struct canvas *canvas, const struct profile_line *line)
{
    const struct profile_memory *memory = &line->memory;
    struct text text = {0};
    amount_size(&text, memory->peak_mb);
    paint_right(canvas, PAINT_MEMORY, text.data ? text.data : "", HELD_WIDTH);
    text.len = 0;
    text_format(&text, " line %d", line->number);
    if (memory->allocated_mb > 0) {
        text_add(&text, ": ");
        amount_size(&text, memory->allocated_mb);
        text_add(&text, " allocated");
        add_size(&text, memory->at_peak_mb, "held at the program's peak");
        add_size(&text, memory->at_end_mb, "at its end");
    }
    paint_wrapped(canvas, PAINT_PLAIN, text.data, HELD_WIDTH, HELD_WIDTH + HANGING);
    text_clear(&text);
}

void holders_render(struct canvas *canvas, const struct profile *profile,
                    const struct profile_file *file)
{
    size_t count;
    const struct profile_line **lines = order_lines(file, ORDER_memory, LISTED_MAX, &count);
    double least_mb = LISTED_PERCENT / 100.0 * profile->footprint.max_mb;
    for (size_t i = 0; i < count; i++) {
        double held_mb = lines[i]->memory.peak_mb;
        if (!(held_mb > 0) || held_mb < least_mb) {
            break;
        }
        if (i == 0) {
            paint_text(canvas, PAINT_TITLE, " Most memory held at once:\n");
        }
        add_line(canvas, lines[i]);
    }
    free(lines);
}
