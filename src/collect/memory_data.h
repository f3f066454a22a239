// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the memory tally keeps; shared by the one that adds (memory_tally.c) and the one that makes
// a profile of it (memory_fill.c).

#include "base/map.h"
#include "collect/holding.h"
#include "collect/memory_tally.h"

// Of a line, of a function, or of all.
struct memory_account {
    uint32_t path; // index of the tally's paths
    uint32_t function;
    int line; // of a function: some line in it
    int first_line;
    bool is_qualified;
    double allocated;
    double python; // of it
    double count;
    double copied;
    struct holding_sum at_end; // what is not held any more, but was at the end of its process
    struct profile_leak leak;  // in processes that are over
    double variance;           // of the bytes allocated, as its points leave it
    double distance;           // of points, the longest
    uint64_t classes;          // of sizes that were seen, a bit each
    struct holding holding;
};

struct memory_accounts {
    struct map index;
    struct memory_account *list;
    size_t count;
    size_t capacity;
};

// Where a block was allocated: a line, and the function that it is in.
struct memory_site {
    uint32_t line;
    uint32_t function; // 0: none
};

struct memory_tally {
    struct names paths;
    struct names functions;
    struct map site_index;
    struct memory_site *sites;
    size_t site_count;
    size_t site_capacity;
    struct memory_accounts lines; // the first two are no lines: MEMORY_NATIVE and _ELSEWHERE
    struct memory_accounts code;  // one a code object; the first is none
    struct memory_account all;
    struct holding python; // of it
    double lost_bytes;
    double missed_bytes;
    uint64_t event_count;
    bool has_lines_left_out;

    struct memory_level
        level; // of all processes; its peak is that of the sum, its drift falls only
    double file_peak_bytes;
    double shared_peak_bytes;
    double seen_bytes;                     // the highest footprint that was told at its moment
    uint64_t peak_number;                  // of these moments
    const struct memory_level *peak_level; // of who told it, until anything is let go
    double peak_s;
    struct series footprint;
};
