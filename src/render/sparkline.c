// SPDX-License-Identifier: Apache-2.0
#include "render/sparkline.h"

#include <math.h>

#define LEVEL_COUNT 8

// Nothing is a space that does not break, or a line at the bottom.
static const char *const utf8_levels[] = {"\u00a0", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
static const char *const ascii_levels[] = {"_", ".", ",", "-", "~", "=", "+", "*", "#"};

// Anything at all is at least the lowest bar.
static int level_of(const struct sparkline *line, double mb)
{
    if (!(mb > 0) || !(line->max_mb > 0)) {
        return 0;
    }
    double level = ceil(mb / line->max_mb * LEVEL_COUNT - 0.5);
    return (int)fmax(1, fmin(level, LEVEL_COUNT));
}

void sparkline_add(const struct canvas *canvas, const struct sparkline *line, size_t width,
                   struct text *out)
{
    double held_mb = 0;
    size_t next = 0;
    for (size_t column = 0; column < width; column++) {
        double until_s = line->end_s * (double)(column + 1) / (double)width;
        bool is_last = column + 1 == width;
        double high_mb = held_mb;
        for (; next < line->count && (is_last || line->points[next].t_s < until_s); next++) {
            held_mb = line->points[next].mb;
            high_mb = fmax(high_mb, held_mb);
        }
        int level = level_of(line, high_mb);
        text_add(out, canvas->is_utf8 ? utf8_levels[level] : ascii_levels[level]);
    }
}
