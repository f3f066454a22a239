// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the collector keeps of a run; shared by the one that reads rings and the one that reports.

#include "collect/code_table.h"
#include "collect/collector.h"
#include "collect/fold.h"
#include "collect/folder_watch.h"
#include "collect/open_wait.h"
#include "collect/process.h"
#include "collect/roll_call.h"
#include "wire/control.h"

#define PROCESSES_LISTED 4096u // that have ended; of the rest sums are kept
#define THREADS_LISTED   4096u

// What is left of processes that are listed no more.
struct process_sum {
    size_t count;
    size_t thread_count;
    double ready_s;
    double true_s;
    uint64_t torn_count;
    uint64_t bad_count;
    uint64_t counters[RING_COUNTER_COUNT];
};

struct collector {
    struct collector_options options;
    char *run_dir;
    struct control *control;
    struct image_cache *images;
    struct symbol_cache *symbols;
    const struct image *warm_image; // whose symbols were read last
    struct code_table *codes;
    struct fold fold;
    struct open_wait_reader open_waits;
    struct process **processes; // in the order of their first record; the root is one of them
    size_t process_count;
    size_t process_capacity;
    size_t gone_count; // of these
    size_t gone_thread_count;
    struct process_sum forgotten;
    struct roll_call roll_call;
    struct folder_watch watch;
    bool has_unready_ring;
    void *record; // a copy that the program cannot change while it is looked at
    size_t record_capacity;
    uint64_t drained_ns;         // when last
    uint64_t off_ns;             // how long profiling had been off by then
    struct idle_thread off_time; // which is nobody's idling
    unsigned pause_ms;
    double copies_cpu_s; // used on our behalf
    bool has_ended;      // the root
    bool has_let_go;
    bool holds_program;
    struct collector_ending ending;
};
