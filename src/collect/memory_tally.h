// SPDX-License-Identifier: Apache-2.0
#pragma once

// Who allocates and who holds memory, line by line and function by function, from sampled blocks;
// and the footprint of the whole tree of processes, which is exact. What the samples of an account
// are worth is in docs/memory.md. Bounded: accounts past their limit are booked with no line.

#include <stdbool.h>
#include <stdint.h>

#include "collect/block_table.h"
#include "collect/tally.h"
#include "profile/profile.h"

// Sites that are no line.
#define MEMORY_NATIVE    0u // of a thread that runs no Python
#define MEMORY_ELSEWHERE 1u // in Python code, and no line of a profiled file on the stack

#define MEMORY_NO_SITE UINT32_MAX

struct memory_tally;

struct memory_tally *memory_tally_new(void);
void memory_tally_free(struct memory_tally *tally);

// A line of a profiled file in a function.
uint32_t memory_tally_site(struct memory_tally *tally, const struct tally_place *place);

// The number of a site's line; 0 or 1 for those that are none.
uint32_t memory_tally_line(const struct memory_tally *tally, uint32_t site);

// A line leaks in a process that is over.
void memory_tally_leak(struct memory_tally *tally, uint32_t line, struct profile_leak leak);

// Bytes allocated: a block of `size` stands for `added` of them. One of `mean` bytes or more was
// taken for certain, a smaller one because a point hit it.
struct memory_volume {
    uint64_t size;
    uint64_t added;
    uint64_t distance; // of the point that hit it from the next; 0: it was taken for certain
    uint64_t edge;     // of points, at most: what may pass unseen before the first and after them
    unsigned class;    // of sizes, below 64: each has points of its own
    bool is_python;
    uint32_t last_site; // that the point before hit, or MEMORY_NO_SITE
};

// So many bytes in all were allocated that no record tells of: they count in the totals only.
void memory_tally_miss(struct memory_tally *tally, uint64_t bytes);

void memory_tally_allocate(struct memory_tally *tally, uint32_t site,
                           const struct memory_volume *volume);

// What one process holds, exactly. Zero-initialised: nothing yet.
struct memory_level {
    double bytes;
    double drift; // what its sampled blocks have become more or less since that was told
    double peak_bytes;
    double file_bytes;
    double shared_bytes;
};

// A block is held from now on by its site, for its weight. `level` is its process's.
void memory_tally_hold(struct memory_tally *tally, struct memory_level *level,
                       const struct block *block, double time_s);

// It stands for another weight from now on; the caller changes the block afterwards.
void memory_tally_reweigh(struct memory_tally *tally, struct memory_level *level,
                          const struct block *block, uint64_t weight, double time_s);

enum memory_release {
    MEMORY_FREED,
    MEMORY_MOVED, // to another site
    MEMORY_ENDED, // it was held until the end of its interpreter or process
    MEMORY_LOST,  // nobody knows
};

void memory_tally_release(struct memory_tally *tally, struct memory_level *level,
                          const struct block *block, double time_s, enum memory_release how);

void memory_tally_copy(struct memory_tally *tally, uint32_t site, uint64_t bytes);

// The process's level is now `level`; *last is what was said before, and becomes it.
void memory_tally_footprint(struct memory_tally *tally, struct memory_level *last,
                            const struct memory_level *level, double time_s);

// Adds a leak in a process that goes on to a profile that is filled.
void memory_tally_fill_leak(const struct memory_tally *tally, uint32_t line,
                            struct profile_leak leak, struct profile *profile);

// Adds lines, functions and footprint to the profile. May be called again.
void memory_tally_fill(const struct memory_tally *tally, struct profile *profile, double end_s);
