// SPDX-License-Identifier: Apache-2.0
#pragma once

// What makes a character cell: colours of the theme, glyphs with their ASCII stand-ins, widths.
// Text from outside never reaches the terminal as it is: control characters, escape sequences and
// marks that reverse the reading order are replaced.

#include <locale.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"

enum paint {
    PAINT_PLAIN,
    PAINT_TITLE,
    PAINT_DIM,
    PAINT_HOT, // bold red, as in the original
    PAINT_PYTHON,
    PAINT_NATIVE,
    PAINT_SYSTEM,
    PAINT_IDLE,
    PAINT_MEMORY,
};

struct canvas {
    struct text *out;
    size_t width;
    bool has_color;
    bool is_utf8;
    locale_t locale; // while painting: C.UTF-8, whose tables know how wide a character is
    locale_t caller_locale;
};

// Around all painting, so that the caller's locale changes nothing.
void paint_begin(struct canvas *canvas);
void paint_end(struct canvas *canvas);

// Picks by what the terminal can show.
const char *paint_glyph(const struct canvas *canvas, const char *utf8, const char *ascii);

// How many columns a piece of text from outside takes, and the same with a limit: adds at most
// `width` columns, ending in an ellipsis if it was too long. Returns the columns added.
size_t paint_width(const struct canvas *canvas, const char *text, size_t len);
size_t paint_clipped(struct canvas *canvas, const char *text, size_t len, size_t width);

// The same, but of what is too long the end is kept.
size_t paint_clipped_left(struct canvas *canvas, const char *text, size_t len, size_t width);

// Everything up to the matching paint_stop is in this colour.
void paint_start(struct canvas *canvas, enum paint paint);
void paint_stop(struct canvas *canvas, enum paint paint);

// One piece in one colour; `width` pads on the left with spaces.
void paint_right(struct canvas *canvas, enum paint paint, const char *text, size_t width);
void paint_text(struct canvas *canvas, enum paint paint, const char *text);
void paint_repeat(struct canvas *canvas, const char *glyph, size_t count);

// A sentence, broken between words. `used` columns of the first line are filled already, further
// lines are indented by `hanging`.
void paint_wrapped(struct canvas *canvas, enum paint paint, const char *text, size_t used,
                   size_t hanging);

// The same from the start of a line, one column in.
void paint_paragraph(struct canvas *canvas, enum paint paint, const char *text);
