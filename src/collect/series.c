// SPDX-License-Identifier: Apache-2.0
#include "collect/series.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"

#define WIDTH_FIRST_S 0.001

_Static_assert(2 * SERIES_SPAN_MAX + 2 <= PROFILE_MEMORY_POINT_MAX, "the points of all spans");

static double span_number(const struct series *series, double time_s)
{
    return floor((time_s - series->first_s) / series->width_s);
}

static void extend(struct series_span *span, double time_s, double bytes)
{
    if (bytes > span->high) {
        span->high = bytes;
        span->high_s = time_s;
    }
    span->last = bytes;
    span->last_s = time_s;
}

static void double_width(struct series *series)
{
    size_t kept = 0;
    series->width_s *= 2;
    for (size_t i = 0; i < series->count; i++) {
        struct series_span span = series->spans[i];
        if (kept > 0 && span_number(series, series->spans[kept - 1].last_s) ==
                            span_number(series, span.last_s)) {
            extend(&series->spans[kept - 1], span.high_s, span.high);
            extend(&series->spans[kept - 1], span.last_s, span.last);
        } else {
            series->spans[kept++] = span;
        }
    }
    series->count = kept;
}

static void begin_span(struct series *series, double time_s, double bytes)
{
    while (series->count == SERIES_SPAN_MAX) {
        double_width(series);
    }
    series->spans =
        mem_grow(series->spans, series->count, &series->capacity, sizeof *series->spans);
    series->spans[series->count++] = (struct series_span){time_s, bytes, time_s, bytes};
}

void series_add(struct series *series, double time_s, double bytes)
{
    if (series->count == 0) {
        series->width_s = WIDTH_FIRST_S;
        series->first_s = time_s;
        series->first = bytes;
        begin_span(series, time_s, bytes);
        return;
    }
    struct series_span *last = &series->spans[series->count - 1];
    time_s = fmax(time_s, last->last_s);
    if (span_number(series, time_s) == span_number(series, last->last_s)) {
        extend(last, time_s, bytes);
        return;
    }
    begin_span(series, time_s, bytes);
}

static void add_point(struct profile_point *points, size_t *count, double time_s, double bytes)
{
    points[(*count)++] = (struct profile_point){fmax(0, time_s), bytes / PROFILE_MB};
}

struct profile_point *series_points(const struct series *series, double end_s, size_t *count)
{
    struct profile_point *points = mem_alloc((2 * series->count + 2) * sizeof *points);
    *count = 0;
    if (series->count == 0) {
        return points;
    }
    if (series->first_s < series->spans[0].high_s) {
        add_point(points, count, series->first_s, series->first);
    }
    for (size_t i = 0; i < series->count; i++) {
        const struct series_span *span = &series->spans[i];
        add_point(points, count, span->high_s, span->high);
        if (span->last_s > span->high_s || span->last < span->high) {
            add_point(points, count, span->last_s, span->last);
        }
    }
    const struct series_span *last = &series->spans[series->count - 1];
    if (end_s > last->last_s) {
        add_point(points, count, end_s, last->last);
    }
    return points;
}

void series_clear(struct series *series)
{
    free(series->spans);
    *series = (struct series){0};
}
