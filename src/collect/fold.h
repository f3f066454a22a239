// SPDX-License-Identifier: Apache-2.0
#pragma once

// Folds what a process's records say about time into the run's tallies: samples, waits, and what
// threads used in all. What they say about memory is fold_memory.h's.

#include <stdbool.h>
#include <stdint.h>

#include "collect/async_stacks.h"
#include "collect/async_tasks.h"
#include "collect/focus.h"
#include "collect/gpu_call.h"
#include "collect/idle.h"
#include "collect/memory_tally.h"
#include "collect/pause_list.h"
#include "collect/process.h"
#include "collect/stack_table.h"
#include "collect/tally.h"
#include "collect/unwind.h"

struct gpu_watch;

struct fold {
    struct tally *tally;
    struct stack_table *stacks;
    struct idle *idle;
    struct memory_tally *memory;
    struct stack_table *memory_stacks; // of allocations
    struct unwinder unwinder;
    struct focus focus;
    struct gpu_calls gpu_calls;
    struct gpu_watch *gpu; // NULL: accelerators are not measured
    double period_s;
    uint64_t start_ns; // of the run: all times in seconds are from here, without the stops
    struct pause_list stops;
    uint64_t now_ns; // by our own clock, when last asked
    int root_pid;
    bool has_stacks;
    bool has_leaks; // they are looked for
    bool has_all;   // every file is profiled, also those that have only a name
    double cores;
    const char *run_dir;
    double async_own_s; // of the program's time, that following coroutines took
    double running_async_own_s;
    double await_lost_s; // waited in chains that found no place
    double running_await_lost_s;
    struct async_tasks tasks;
    struct async_tasks running_tasks; // of processes that run, for the next filling only
    struct async_stacks awaits;
    struct async_stacks running_awaits; // the same
    uint64_t sample_count;
    uint64_t late_count;
    uint64_t allocation_count; // sampled
    double recent_cpu_s;       // over the last second or so, for the utilisation
    double recent_at_s;
    double last_sample_s;
    double reached_periods;   // sum of the samples' weights
    uint64_t open_wait_count; // that had not ended when their process did
    uint64_t stackless_gpu;   // samples in a vendor's library, of whose callers nothing is known
    uint64_t refused_waits;   // unfinished, whose line we were not let look for
};

// The run's own clock. It stands still while the program is stopped.
double fold_seconds(const struct fold *fold, uint64_t time_ns);

// Whether a record can be of that time: not before the run and not after now.
bool fold_is_time(struct fold *fold, uint64_t time_ns);

// Each returns false when the record is malformed.
bool fold_sample(struct fold *fold, struct process *process, const void *record, size_t len);
bool fold_wait(struct fold *fold, struct process *process, const void *record, size_t len);

// A wait that no record tells of: the thread was in it when its process ended.
struct fold_open_wait {
    int tid;
    enum wait_kind kind;
    const struct record_frame *frame; // its line; NULL: the one where the thread was last seen
    uint64_t caller;                  // whose library waits; 0: not for a line of Python
    double begin_s;
    double end_s;
};

void fold_open_wait(struct fold *fold, struct process *process, const struct fold_open_wait *wait);

bool fold_thread_begin(struct fold *fold, struct process *process, const void *record, size_t len);
bool fold_thread_name(struct process *process, const void *record, size_t len);
bool fold_thread_end(struct fold *fold, struct process *process, const void *record, size_t len);
bool fold_process_end(struct fold *fold, struct process *process, const void *record, size_t len);
bool fold_focus(struct fold *fold, struct process *process, const void *record, size_t len);
