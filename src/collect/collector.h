// SPDX-License-Identifier: Apache-2.0
#pragma once

// Reads the rings of every process of the run while the program goes on, and makes a profile of
// what it read. It never blocks the program: a slow collector costs samples, which are counted.

#include <stdbool.h>
#include <stdint.h>
#include <sys/resource.h>

#include "base/error.h"
#include "profile/filter.h"
#include "profile/profile.h"

struct collector_options {
    const char *run_dir;
    const struct filter *filter; // which files are ours
    double period_s;             // as asked
    bool has_stacks;
    bool has_memory;
    bool has_leak_detector;
    bool has_virtual_time;
    uint64_t start_ns; // CLOCK_MONOTONIC when the program was started
    int root_pid;
};

struct collector;

bool collector_new(struct collector **collector, const struct collector_options *options,
                   struct error *err);

// Reads all there is. Returns how long the caller may sleep before the next call, in ms.
unsigned collector_drain(struct collector *collector);

// The root process has been waited for.
struct collector_ending {
    int wait_status;
    struct rusage usage; // of it and all that it waited for
    uint64_t end_ns;
    double cpu_s; // of it alone; 0 when not known
};

void collector_root_ended(struct collector *collector, const struct collector_ending *ending);

// Adds everything known so far to an empty profile: files, lines, stacks, threads, processes,
// totals, quality. May be called while the program runs.
void collector_fill(struct collector *collector, struct profile *profile);

void collector_free(struct collector *collector);
