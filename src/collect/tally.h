// SPDX-License-Identifier: Apache-2.0
#pragma once

// Where the samples' time goes, line by line. Times are kept apart by pool: the threads of one
// command that were started alike. A sample is a whole period, so that many short threads together
// are right and each alone is not; what a pool's threads truly used is known from their own clocks,
// and its lines are scaled to it in the end.
//
// A sample in a helper of the interpreter's is Python's or native, and only the line's other
// samples tell: helpers are added for the line that ran (the leaf) and decided when the profile
// is filled. See docs/accuracy.md.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collect/kind.h"
#include "profile/profile.h"

#define TALLY_NONE 0u // no line of a profiled file

struct tally;

struct tally *tally_new(double period_s);
void tally_free(struct tally *tally);

// Indices from 0 up; at most a few score, the rest share the last.
uint32_t tally_pool(struct tally *tally, const char *command, uint64_t start_routine);

// A line of a profiled file in a pool, from 1 up; TALLY_NONE when there are too many already.
struct tally_place {
    uint64_t code_key; // the same for the same path, function and first line
    const char *path;
    const char *function; // qualified if it can be
    int line;
    int first_line; // of the function
    bool is_qualified;
    bool is_coroutine;
};

uint32_t tally_spot(struct tally *tally, uint32_t pool, const struct tally_place *place);

// The line that ran, whatever its file; `file` and `code` only need to be the same for the same.
uint32_t tally_leaf(struct tally *tally, uint64_t code_key, int line);

struct tally_sample {
    uint32_t pool;
    uint32_t spot; // TALLY_NONE: no profiled line
    uint32_t leaf; // 0: none
    struct kind_verdict verdict;
    double weight_s;
    double system_s;       // of the weight
    double system_spare_s; // what the kernel charged beyond it
    double time_s;
    double utilization;
    bool is_main_thread;
};

void tally_add_sample(struct tally *tally, const struct tally_sample *sample);

// CPU time while profiling was off: it belongs to no line and to no total.
void tally_add_unseen(struct tally *tally, uint32_t pool, double seconds, double system_s);

// All of it, by the threads' own clocks.
double tally_unseen_s(const struct tally *tally);

void tally_add_wait(struct tally *tally, uint32_t pool, uint32_t spot, enum profile_wait kind,
                    double seconds);
// What accelerators did while a thread was there.
void tally_add_gpu(struct tally *tally, uint32_t spot, const struct profile_gpu *part);
void tally_add_idle(struct tally *tally, uint32_t spot, double seconds);

// What coroutines waited for there; for good, or for the next filling only.
void tally_add_await(struct tally *tally, uint32_t spot, const struct profile_async *part,
                     bool is_final);
void tally_add_task_name(struct tally *tally, uint32_t spot, const char *name);

double tally_await_elsewhere_s(const struct tally *tally); // on no profiled line

// The line kept an event loop busy at a stretch.
void tally_add_block(struct tally *tally, uint32_t spot, double seconds);

// What the pool's threads used by their own clocks, beyond what was said before.
void tally_add_truth(struct tally *tally, uint32_t pool, double cpu_s, double system_s);

// Of threads that still run, for the next filling only.
void tally_add_running(struct tally *tally, uint32_t pool, double cpu_s, double system_s);

// Scales, decides, and adds everything to the profile's files and totals. May be called again;
// idle time and running threads are then to be said again.
void tally_fill(struct tally *tally, struct profile *profile);

// How the leaf's helpers are decided as of now: the native part, 0 or 1.
double tally_helper_native(const struct tally *tally, uint32_t leaf);
