// SPDX-License-Identifier: Apache-2.0
#include "render/paint.h"

#include <stdint.h>
#include <string.h>
#include <wchar.h>

#include "profile/utf8.h"

#define TAB_STOP 4

static const char *const sgr[] = {
    [PAINT_PLAIN] = "",    [PAINT_TITLE] = "1",   [PAINT_DIM] = "2",
    [PAINT_HOT] = "1;31",  [PAINT_PYTHON] = "94", [PAINT_NATIVE] = "36",
    [PAINT_SYSTEM] = "35", [PAINT_IDLE] = "33",   [PAINT_MEMORY] = "32",
};

void paint_begin(struct canvas *canvas)
{
    canvas->locale = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
    if (canvas->locale) {
        canvas->caller_locale = uselocale(canvas->locale);
    }
}

void paint_end(struct canvas *canvas)
{
    if (canvas->locale) {
        uselocale(canvas->caller_locale);
        freelocale(canvas->locale);
        canvas->locale = (locale_t)0;
    }
}

const char *paint_glyph(const struct canvas *canvas, const char *utf8, const char *ascii)
{
    return canvas->is_utf8 ? utf8 : ascii;
}

// What is shown in a character's place.
static uint32_t harmless(const struct canvas *canvas, uint32_t point)
{
    bool is_control = utf8_is_control(point);
    if (!canvas->is_utf8) {
        return is_control || point > 0x7e ? '?' : point;
    }
    if (point < 0x20) {
        return 0x2400 + point;
    }
    return is_control ? UTF8_REPLACEMENT : point;
}

static size_t point_width(uint32_t point)
{
    if (point < 0x7f) {
        return 1;
    }
    int width = wcwidth((wchar_t)point);
    return width < 0 ? 1 : (size_t)width;
}

// Takes one character of the text; *columns is how many it fills at this column.
static size_t next_glyph(const struct canvas *canvas, const char *text, size_t len, size_t column,
                         uint32_t *point, size_t *columns)
{
    size_t used = utf8_read(text, len, point);
    if (*point == '\t') {
        *columns = TAB_STOP - column % TAB_STOP;
        return used;
    }
    *point = harmless(canvas, *point);
    *columns = point_width(*point);
    return used;
}

size_t paint_width(const struct canvas *canvas, const char *text, size_t len)
{
    size_t width = 0;
    for (size_t at = 0; at < len;) {
        uint32_t point;
        size_t columns;
        at += next_glyph(canvas, text + at, len - at, width, &point, &columns);
        width += columns;
    }
    return width;
}

static void add_glyph(struct canvas *canvas, uint32_t point, size_t columns)
{
    if (point == '\t') {
        paint_repeat(canvas, " ", columns);
        return;
    }
    char bytes[4];
    text_add_bytes(canvas->out, bytes, utf8_write(point, bytes));
}

// Adds what fits, nothing more. Returns the columns added.
static size_t add_fitting(struct canvas *canvas, const char *text, size_t len, size_t width)
{
    size_t column = 0;
    for (size_t at = 0; at < len;) {
        uint32_t point;
        size_t columns;
        at += next_glyph(canvas, text + at, len - at, column, &point, &columns);
        if (column + columns > width) {
            break;
        }
        add_glyph(canvas, point, columns);
        column += columns;
    }
    return column;
}

static size_t ellipsis_width(const struct canvas *canvas)
{
    return canvas->is_utf8 ? 1 : 3;
}

static void add_ellipsis(struct canvas *canvas)
{
    text_add(canvas->out, paint_glyph(canvas, "…", "..."));
}

size_t paint_clipped(struct canvas *canvas, const char *text, size_t len, size_t width)
{
    if (paint_width(canvas, text, len) <= width) {
        return add_fitting(canvas, text, len, width);
    }
    size_t ellipsis = ellipsis_width(canvas);
    if (width < ellipsis) {
        return add_fitting(canvas, text, len, width);
    }
    size_t column = add_fitting(canvas, text, len, width - ellipsis);
    add_ellipsis(canvas);
    return column + ellipsis;
}

size_t paint_clipped_left(struct canvas *canvas, const char *text, size_t len, size_t width)
{
    size_t full = paint_width(canvas, text, len);
    if (full <= width) {
        return add_fitting(canvas, text, len, width);
    }
    size_t ellipsis = ellipsis_width(canvas);
    size_t room = width > ellipsis ? width - ellipsis : 0;
    size_t at = 0;
    for (size_t column = 0; at < len && full - column > room;) {
        uint32_t point;
        size_t columns;
        at += next_glyph(canvas, text + at, len - at, column, &point, &columns);
        column += columns;
    }
    add_ellipsis(canvas);
    return ellipsis + add_fitting(canvas, text + at, len - at, room);
}

void paint_start(struct canvas *canvas, enum paint paint)
{
    if (canvas->has_color && paint != PAINT_PLAIN) {
        text_format(canvas->out, "\033[%sm", sgr[paint]);
    }
}

void paint_stop(struct canvas *canvas, enum paint paint)
{
    if (canvas->has_color && paint != PAINT_PLAIN) {
        text_add(canvas->out, "\033[0m");
    }
}

void paint_text(struct canvas *canvas, enum paint paint, const char *text)
{
    paint_start(canvas, paint);
    text_add(canvas->out, text);
    paint_stop(canvas, paint);
}

void paint_right(struct canvas *canvas, enum paint paint, const char *text, size_t width)
{
    size_t len = paint_width(canvas, text, strlen(text));
    if (len < width) {
        paint_repeat(canvas, " ", width - len);
    }
    if (len > 0) {
        paint_text(canvas, paint, text);
    }
}

void paint_repeat(struct canvas *canvas, const char *glyph, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        text_add(canvas->out, glyph);
    }
}

// How much of the text goes on a line of this width: up to the last space that fits, or one word
// however long.
static size_t line_len(const struct canvas *canvas, const char *text, size_t width)
{
    size_t fitting = 0;
    for (size_t at = 0; text[at];) {
        size_t word = at + strspn(text + at, " ");
        word += strcspn(text + word, " ");
        if (fitting > 0 && paint_width(canvas, text, word) > width) {
            break;
        }
        fitting = word;
        at = word;
    }
    return fitting;
}

void paint_wrapped(struct canvas *canvas, enum paint paint, const char *text, size_t used,
                   size_t hanging)
{
    bool is_first = true;
    do {
        if (!is_first) {
            paint_repeat(canvas, " ", hanging);
            used = hanging;
        }
        is_first = false;
        size_t width = canvas->width > used + 1 ? canvas->width - used : 1;
        size_t len = line_len(canvas, text, width);
        paint_start(canvas, paint);
        paint_clipped(canvas, text, len, width);
        paint_stop(canvas, paint);
        text_add_char(canvas->out, '\n');
        text += len;
        text += strspn(text, " ");
    } while (*text);
}

void paint_paragraph(struct canvas *canvas, enum paint paint, const char *text)
{
    text_add_char(canvas->out, ' ');
    paint_wrapped(canvas, paint, text, 1, 1);
}
