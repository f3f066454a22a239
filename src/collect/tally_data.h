// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the tally keeps; shared by the one that adds (tally.c) and the one that makes a profile of
// it (tally_fill.c).

#include "base/map.h"
#include "collect/tally.h"

#define TALLY_POOL_MAX        64u
#define TALLY_INSTRUCTION_MAX 6u
#define TALLY_TIMES_MAX       500u

// One line of a profiled file, in one pool.
struct spot {
    uint32_t pool;
    uint32_t path; // index of tally.paths
    uint32_t function;
    int line;
    int first_line;
    bool is_qualified;
    struct profile_times times; // python: the loop's own; helpers are in the pairs
    double spare_system_s;
    struct profile_gpu gpu;
    struct profile_async async;
    struct profile_async running; // to be added to it
    double *sample_times_s;
    size_t sample_time_count;
    uint64_t sample_seen;
};

// One line that ran, anywhere.
struct leaf {
    double eval_n;
    double native_n;
    double helper_n;
    double free_n;                               // of the helpers
    int32_t instructions[TALLY_INSTRUCTION_MAX]; // at which the other helpers were called
    double instruction_n[TALLY_INSTRUCTION_MAX];
};

// Helper time of a leaf on behalf of a spot.
struct pair {
    uint32_t leaf;
    uint32_t spot;
    uint32_t pool;
    double seconds;
};

struct pool {
    double sampled_s;
    double system_s; // of it
    double unseen_s; // of it: while profiling was off
    double true_s;
    double true_system_s;
    double running_s; // to be added to these two
    double running_system_s;
    double lost_s; // samples of no profiled line, without helpers
    double lost_system_s;
    double lost_native_s;
};

struct tally {
    double period_s;
    struct names paths;
    struct names functions;
    struct map pool_index;
    struct pool pools[TALLY_POOL_MAX];
    size_t pool_count;
    struct map spot_index;
    struct spot *spots; // from 1 up
    size_t spot_count;
    size_t spot_capacity;
    struct map leaf_index;
    struct leaf *leaves; // from 1 up
    size_t leaf_count;
    size_t leaf_capacity;
    struct map pair_index;
    struct pair *pairs;
    size_t pair_count;
    size_t pair_capacity;
    double idle_lost_s; // on no profiled line
    bool has_lines_left_out;
    uint64_t random;
};
