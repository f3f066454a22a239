// SPDX-License-Identifier: Apache-2.0
#pragma once

// Made-up programs for the leak detector: streams of blocks with their births and deaths, seen
// through the agent's sampling (one point in each M bytes, at random within it; larger blocks
// whole).

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collect/leak_verdict.h"

#define PROGRAM_LINES 3u

struct program_block {
    double birth_s;
    double death_s; // INFINITY: never
    double bytes;
    unsigned line;
};

struct program {
    uint64_t random;
    double run_s;
    double mean; // M
    struct program_block *blocks;
    size_t count;
    size_t capacity;
};

// A shape fills a program whose length and sampling are chosen already. Which of its lines leak is
// one bit for each.
struct shape {
    const char *name;
    void (*fill)(struct program *program);
    unsigned leaks;
};

extern const struct shape program_shapes[];
extern const size_t program_shape_count;

double program_chance(struct program *program); // uniform from 0 to 1
double program_between(struct program *program, double low, double high);

// What the detector says of each line of one run of the shape.
void program_judge(const struct shape *shape, uint64_t seed,
                   struct leak_verdict verdicts[PROGRAM_LINES]);
