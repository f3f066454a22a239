// SPDX-License-Identifier: Apache-2.0
#include "render/operators.h"

#include <string.h>

#include "profile/amount.h"

#define LISTED_MAX  10
#define TOLD_MAX    3
#define TOLD_NAME   60 // bytes: names of kernels are templates
#define TIME_WIDTH  8
#define CALLS_WIDTH 9
#define NAME_LEAST  12 // columns, before the place has any

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static const char *device_name(const struct profile_operator *one)
{
    return one->is_device ? "GPU" : "CPU";
}

static void add_place(struct text *text, const struct profile_operator *one)
{
    if (one->file) {
        text_format(text, "%s:%d", base_name(one->file), one->line);
    }
}

static void add_name(struct canvas *canvas, const struct profile_operator *one, size_t room)
{
    struct text place = {0};
    add_place(&place, one);
    size_t wanted = place.len > 0 ? paint_width(canvas, place.data, place.len) + 2 : 0;
    wanted = wanted + NAME_LEAST <= room ? wanted : 0;
    paint_clipped(canvas, one->name, strlen(one->name), room - wanted);
    if (wanted > 0) {
        text_add(canvas->out, "  ");
        paint_start(canvas, PAINT_DIM);
        paint_clipped(canvas, place.data, place.len, wanted - 2);
        paint_stop(canvas, PAINT_DIM);
    }
    text_clear(&place);
}

static void add_row(struct canvas *canvas, const struct profile_operator *one)
{
    struct text text = {0};
    text_add_char(canvas->out, ' ');
    amount_duration(&text, one->seconds);
    paint_right(canvas, PAINT_PLAIN, text.data, TIME_WIDTH);
    text.len = 0;
    text_format(&text, "%llu", (unsigned long long)one->count);
    paint_right(canvas, PAINT_PLAIN, text.data, CALLS_WIDTH);
    text_format(canvas->out, "  %s  ", device_name(one));
    add_name(canvas, one, canvas->width - (1 + TIME_WIDTH + CALLS_WIDTH + 7));
    text_add_char(canvas->out, '\n');
    text_clear(&text);
}

void operators_render(struct canvas *canvas, const struct profile *profile)
{
    const struct profile_operators *operators = &profile->operators;
    if (operators->count == 0) {
        return;
    }
    text_add_char(canvas->out, '\n');
    paint_text(canvas, PAINT_TITLE, " Operators of the program's trace:\n");
    text_add_char(canvas->out, ' ');
    paint_right(canvas, PAINT_DIM, "time", TIME_WIDTH);
    paint_right(canvas, PAINT_DIM, "calls", CALLS_WIDTH);
    paint_text(canvas, PAINT_DIM, "  on   operator\n");
    for (size_t i = 0; i < operators->count && i < LISTED_MAX; i++) {
        add_row(canvas, &operators->list[i]);
    }
    uint64_t rest = operators->left_out;
    rest += operators->count > LISTED_MAX ? operators->count - LISTED_MAX : 0;
    if (rest > 0) {
        struct text text = {0};
        text_format(&text, "and %llu more", (unsigned long long)rest);
        paint_paragraph(canvas, PAINT_DIM, text.data);
        text_clear(&text);
    }
}

void operators_tell(struct text *out, const struct profile *profile)
{
    const struct profile_operators *operators = &profile->operators;
    for (size_t i = 0; i < operators->count && i < TOLD_MAX; i++) {
        const struct profile_operator *one = &operators->list[i];
        text_add(out, i == 0 ? "The program's own trace: " : ", ");
        text_add_bytes(out, one->name, strnlen(one->name, TOLD_NAME));
        text_add_char(out, ' ');
        amount_duration(out, one->seconds);
        text_format(out, " on the %s in %llu call%s", device_name(one),
                    (unsigned long long)one->count, one->count == 1 ? "" : "s");
        text_add(out, one->file ? " at " : "");
        add_place(out, one);
    }
    text_add(out, operators->count > 0 ? "." : "");
}
