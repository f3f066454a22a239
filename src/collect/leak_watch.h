// SPDX-License-Identifier: Apache-2.0
#pragma once

// The search for leaks in one process: its book, and a life table for each line that allocates.
// Zero-initialised is empty. Bounded.

#include <stddef.h>
#include <stdint.h>

#include "base/map.h"
#include "collect/leak_verdict.h"

#define LEAK_WATCH_LINES 2000u // some 5 MB

struct leak_line {
    uint32_t number; // of the memory tally
    struct life_table life;
};

struct leak_watch {
    struct leak_book *book; // NULL: nothing is known yet
    struct map index;       // of numbers, to indices + 1
    struct leak_line **lines;
    size_t count;
    size_t capacity;
};

// The book, which is opened at the first moment that it is asked for.
struct leak_book *leak_watch_book(struct leak_watch *watch, double time_s);

// The line's table, made if it is new; NULL when there are too many.
struct life_table *leak_watch_line(struct leak_watch *watch, uint32_t line);

// Calls `found` for each line that leaks as of now.
void leak_watch_judge(struct leak_watch *watch, double now_s,
                      void (*found)(void *context, uint32_t line, struct leak_verdict verdict),
                      void *context);

void leak_watch_clear(struct leak_watch *watch);
