// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which lines leak: hold more and more though the program does the same over and over. Each process
// has a book of its windows of time and of all that it allocates, each of its lines a life table.
// They are told of every sampled block, in about the order of time, and can be judged at any
// moment. The method, its errors and what it cannot know are in docs/leaks.md.

#include "collect/life_table.h"

struct leak_book {
    double start_s;
    double width_s;          // of a window
    struct life_table whole; // of the process, whatever the line
    double footprint;        // bytes that it holds, exactly
    double peaks[LIFE_WINDOWS];
    double troughs[LIFE_WINDOWS];
};

// When the bytes of a block came: at one moment, or if it has grown from the first to the last.
struct leak_span {
    double from_s;
    double to_s;
};

void leak_open(struct leak_book *book, double start_s);

// All that the process holds, whenever it is known.
void leak_footprint(struct leak_book *book, double time_s, double bytes);

// In these `line` is NULL for a block that belongs to no line that is shown.

// A block was allocated: both ends of the span are now. Or one has grown by these bytes: the span
// reaches from its last growth or birth until now, since it was being filled all that time.
void leak_born(struct leak_book *book, struct life_table *line, struct leak_span span,
               double bytes);

// A block was freed, or has shrunk by these bytes.
void leak_died(struct leak_book *book, struct life_table *line, struct leak_span span,
               double time_s, double bytes);

// A block belongs to another line from now on.
void leak_moved(struct leak_book *book, struct life_table *from, struct life_table *to,
                struct leak_span span, double bytes);

// A block stands for another number of bytes: the table of live ones was thinned, or it could not
// be followed any longer, which is 0.
void leak_restated(struct leak_book *book, struct life_table *line, struct leak_span span,
                   double from_bytes, double to_bytes);

// Up to this moment; also where nothing happened.
void leak_reach(struct leak_book *book, struct life_table *line, double time_s);
