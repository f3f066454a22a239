// SPDX-License-Identifier: Apache-2.0
#include "collect/leak.h"

#include <math.h>
#include <stddef.h>

#define FIRST_WIDTH 0.0625 // s; a run of eight seconds has sixteen windows at the least

void leak_open(struct leak_book *book, double start_s)
{
    *book = (struct leak_book){.start_s = start_s, .width_s = FIRST_WIDTH};
}

static void enter(struct leak_book *book, unsigned window)
{
    for (unsigned i = book->whole.window + 1; i <= window; i++) {
        book->peaks[i] = book->footprint;
        book->troughs[i] = book->footprint;
    }
    life_reach(&book->whole, window);
}

static void widen(struct leak_book *book)
{
    enter(book, LIFE_WINDOWS - 1);
    for (unsigned i = 0; i < LIFE_WINDOWS / 2; i++) {
        book->peaks[i] = fmax(book->peaks[2 * i], book->peaks[2 * i + 1]);
        book->troughs[i] = fmin(book->troughs[2 * i], book->troughs[2 * i + 1]);
    }
    book->width_s *= 2;
    life_widen(&book->whole, book->whole.doublings + 1);
}

void leak_reach(struct leak_book *book, struct life_table *line, double time_s)
{
    while (time_s - book->start_s >= book->width_s * LIFE_WINDOWS) {
        widen(book);
    }
    if (time_s > book->start_s) {
        enter(book, (unsigned)((time_s - book->start_s) / book->width_s));
    }
    if (line) {
        life_widen(line, book->whole.doublings);
        life_reach(line, book->whole.window);
    }
}

static unsigned window_of(const struct leak_book *book, double time_s)
{
    double window = (time_s - book->start_s) / book->width_s;
    return window > 0 ? (unsigned)fmin(window, book->whole.window) : 0;
}

// The part of a span that lies in a window.
static double part_in(const struct leak_book *book, struct leak_span span, unsigned window)
{
    unsigned first = window_of(book, span.from_s);
    unsigned last = window_of(book, span.to_s);
    if (first >= last) {
        return window == last;
    }
    double begin = book->start_s + window * book->width_s;
    double from_s = fmax(span.from_s, window == first ? span.from_s : begin);
    double to_s = window == last ? span.to_s : begin + book->width_s;
    return fmax(0, to_s - from_s) / (span.to_s - span.from_s);
}

void leak_footprint(struct leak_book *book, double time_s, double bytes)
{
    leak_reach(book, NULL, time_s);
    double *peak = &book->peaks[book->whole.window];
    double *trough = &book->troughs[book->whole.window];
    book->footprint = bytes;
    *peak = fmax(*peak, bytes);
    *trough = fmin(*trough, bytes);
}

void leak_born(struct leak_book *book, struct life_table *line, struct leak_span span, double bytes)
{
    leak_reach(book, line, span.to_s);
    unsigned last = window_of(book, span.to_s);
    for (unsigned i = window_of(book, fmin(span.from_s, span.to_s)); i <= last; i++) {
        double part = bytes * part_in(book, span, i);
        life_begin(&book->whole, i, part);
        if (line) {
            life_begin(line, i, part);
        }
    }
}

// What one window of the span does not have any more, because the block grew faster at another
// time, is taken from the others.
static void end_in(const struct leak_book *book, struct life_table *table, struct leak_span span,
                   double bytes)
{
    double owed = bytes;
    unsigned first = window_of(book, span.from_s);
    unsigned last = window_of(book, span.to_s);
    for (unsigned i = first; i <= last; i++) {
        owed -= life_end(table, i, bytes * part_in(book, span, i));
    }
    for (unsigned i = first; i <= last && owed > 0; i++) {
        owed -= life_end(table, i, owed);
    }
}

void leak_died(struct leak_book *book, struct life_table *line, struct leak_span span,
               double time_s, double bytes)
{
    leak_reach(book, line, time_s);
    end_in(book, &book->whole, span, bytes);
    if (line) {
        end_in(book, line, span, bytes);
    }
}

static void restate(const struct leak_book *book, struct life_table *table, struct leak_span span,
                    double from_bytes, double to_bytes)
{
    unsigned last = window_of(book, span.to_s);
    for (unsigned i = window_of(book, fmin(span.from_s, span.to_s)); i <= last; i++) {
        double part = part_in(book, span, i);
        life_restate(table, i, from_bytes * part, to_bytes * part);
    }
}

void leak_moved(struct leak_book *book, struct life_table *from, struct life_table *to,
                struct leak_span span, double bytes)
{
    if (from) {
        leak_reach(book, from, span.to_s);
        restate(book, from, span, bytes, 0);
    }
    if (to) {
        leak_reach(book, to, span.to_s);
        restate(book, to, span, 0, bytes);
    }
}

void leak_restated(struct leak_book *book, struct life_table *line, struct leak_span span,
                   double from_bytes, double to_bytes)
{
    leak_reach(book, line, span.to_s);
    restate(book, &book->whole, span, from_bytes, to_bytes);
    if (line) {
        restate(book, line, span, from_bytes, to_bytes);
    }
}
