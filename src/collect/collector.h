// SPDX-License-Identifier: Apache-2.0
#pragma once

// Reads the rings of every process of the run while the program goes on, and makes a profile of
// what it read. It never blocks the program: a slow collector costs samples, which are counted.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/resource.h>

#include "base/error.h"
#include "base/watcher.h"
#include "profile/filter.h"
#include "profile/profile.h"

struct collector_options {
    const char *run_dir;
    const struct filter *filter; // which files are ours
    double period_s;             // as asked
    bool has_stacks;
    bool has_async;
    bool has_memory;
    bool has_leak_detector;
    bool has_gpu;
    bool has_virtual_time;
    uint64_t start_ns; // CLOCK_MONOTONIC when the program was started
    int root_pid;
};

struct collector;

bool collector_new(struct collector **collector, const struct collector_options *options,
                   struct error *err);

// Reads all there is. Returns how long the caller may sleep before the next call, in ms.
unsigned collector_drain(struct collector *collector);

// The run is over, though its processes may go on.
void collector_stop(struct collector *collector);

// The program stood still from one moment to another (CLOCK_MONOTONIC): that time is nobody's. To
// be said before records that are younger are read.
void collector_add_stop(struct collector *collector, uint64_t begin_ns, uint64_t end_ns);

// While the program stands still its records wait: the first ones after that tell of calls in which
// it stood, and must not be read before it is known for how long.
void collector_hold_program(struct collector *collector, bool is_held);

// CPU that was used on the collector's behalf by a copy of it.
void collector_add_own_cpu(struct collector *collector, double seconds);

// This process is a copy of the one that read the rings until now and was killed.
void collector_take_over(struct collector *collector);

// The root process has been waited for.
struct collector_ending {
    int wait_status;
    struct rusage usage; // of it and all that it waited for
    uint64_t end_ns;
    double cpu_s; // of it alone; 0 when not known
};

void collector_root_ended(struct collector *collector, const struct collector_ending *ending);

bool collector_has_ended(const struct collector *collector); // the root process

// How many other processes are profiled and still run, or may yet show that they are. The first
// `max` of their numbers go to `pids`: 0 for one that is being forked.
size_t collector_running(struct collector *collector, int *pids, size_t max);

// The same as far as it is known: nothing is read. A copy of the collector must not, since what it
// reads the original does not get.
size_t collector_known_running(struct collector *collector, int *pids, size_t max);

// Nothing more will be read: what still runs is told as it stands.
void collector_let_go(struct collector *collector);

// Adds everything known so far to an empty profile: files, lines, stacks, threads, processes,
// totals, quality. May be called while the program runs.
void collector_fill(struct collector *collector, struct profile *profile);

// Whoever waits for the next filling is told how far it is: frames named, of all. NULL: nobody.
void collector_watch(struct collector *collector, const struct watcher *watcher);

void collector_free(struct collector *collector);
