// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which stack each thread showed when, as runs of samples with the same one. Bounded: past 100,000
// runs every two neighbours of a thread become one. Zero-initialised is empty.

#include <stddef.h>
#include <stdint.h>

#include "base/map.h"
#include "profile/profile.h"

#define TIMELINE_GONE UINT32_MAX // the new number of a stack that is no more

struct timeline_run {
    double time_s;
    uint32_t stack;
    uint32_t count;
    uint64_t thread_id;
};

struct timeline {
    struct map last_runs; // thread to index + 1 of its last run
    struct timeline_run *runs;
    size_t count;
    size_t capacity;
};

void timeline_add(struct timeline *timeline, uint64_t thread_id, uint32_t stack, double time_s);

// Calls the stacks by their new numbers, which are found at their old ones, and forgets the rest.
void timeline_renumber(struct timeline *timeline, const uint32_t *numbers);

// Times count from the first run.
void timeline_fill(const struct timeline *timeline, struct profile *profile);

void timeline_clear(struct timeline *timeline);
