// SPDX-License-Identifier: Apache-2.0
#pragma once

// The await table of one process, and what its numbers stand for. Zero-initialised is empty.

#include <stdbool.h>
#include <stdint.h>

#include "collect/await_spans.h"
#include "wire/await_table.h"
#include "wire/record.h"

// A chain as it was told: its line, and its frames for the stacks.
struct async_chain {
    uint32_t spot; // of the tally
    uint32_t site;
    uint32_t frame_count;
    struct async_frame *frames; // innermost first; NULL: not told
    char *name;                 // of the first task that was there; NULL: none told
};

struct async_frame {
    uint64_t code_key;
    char *file;
    char *function;
    int line;
};

struct async_watch {
    struct await_table *table; // NULL: none yet
    char *path;
    struct async_chain *chains; // AWAIT_CHAIN_COUNT of them
    uint32_t *site_spots;       // AWAIT_SITE_COUNT of them
    struct await_spans spans;
};

void async_watch_open(struct async_watch *watch, const char *run_dir, int pid, unsigned number);

// Forgets all, and removes the file.
void async_watch_close(struct async_watch *watch);

// The agent's clock at a moment of CLOCK_MONOTONIC. `off_ns`: how long profiling has been off.
struct async_clock {
    double tick;
    double seconds_per_tick;
};

struct async_clock async_watch_clock(const struct async_watch *watch, uint64_t at_ns,
                                     uint64_t off_ns);

// What a sum amounts to at that moment.
struct async_amount {
    double waited_s;
    double occupied_s;
    double peak;
};

struct async_amount async_watch_amount(const struct await_sum *sum,
                                       const struct async_clock *clock);
