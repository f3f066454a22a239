// SPDX-License-Identifier: Apache-2.0
#pragma once

// The threads of one process. Bounded: past some thousands those that have ended make room for new
// ones, and of those that went only sums are kept. Zero-initialised is empty.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/map.h"
#include "collect/idle.h"
#include "collect/kind.h"
#include "profile/profile.h"
#include "wire/record.h"

// A wait of a thread that it has not ended yet, as seen from outside: see open_wait.c.
struct open_wait {
    uint64_t begin_ns; // 0: none seen
    bool is_read;
    bool is_running;     // it was computing whenever it was looked at ...
    uint64_t running_ns; // ... and for so long
    uint64_t look_ns;    // the first of these looks
    bool is_refused;
    enum wait_kind kind;
    struct record_frame frame; // the innermost one in a profiled file; code 0: none
};

// A run of samples and waits of a thread on one line.
struct thread_recent {
    double begin_s;
    double end_s;
    uint32_t spot;
};

// Where a sample was taken.
struct thread_place {
    uint32_t spot;
    uint32_t leaf;
    struct kind_verdict verdict;
    bool is_known;
};

#define THREAD_RECENT_COUNT 16 // the latest of them

#define THREAD_NAME_SIZE 64 // with the NUL; longer names are cut

struct thread {
    int tid;
    char name[THREAD_NAME_SIZE]; // that the program gave it; empty: none known
    uint32_t pool;               // UINT32_MAX: not known yet
    bool has_ended;
    uint64_t python_id;
    uint64_t start_routine;
    double start_s; // since the run's start, as all times here
    double end_s;
    double sampled_s;
    double true_s; // by its own clock, once it has told
    double true_system_s;
    double ready_s;
    double busy_from_s;
    double busy_s;       // told as running or ready up to there
    double short_wait_s; // since busy_from_s
    uint64_t cpu_ns;     // at the last sample
    uint32_t last_wait_spot;
    uint32_t last_spot; // of its last sample or wait
    struct thread_recent recent[THREAD_RECENT_COUNT];
    uint32_t recent_at;
    struct thread_place place; // of its last sample that was taken where its point lay
    struct open_wait open_wait;
    uint32_t wait_count; // since the last sample
    struct idle_thread idle;
    struct profile_times times;
};

// What is left of the threads of one pool that are listed no more.
struct thread_sum {
    uint32_t pool;
    size_t count;
    double true_s;
    double true_system_s;
    double ready_s;
};

struct thread_table {
    struct thread *list; // the first stays the first
    size_t count;
    size_t capacity;
    struct map index; // tid to index + 1; what is there may have another tid by now
    size_t hand;      // where the search for one that has ended goes on
    struct thread_sum *sums;
    size_t sum_count;
    size_t sum_capacity;
};

// The thread of that number, made at its first sight; valid until the next call.
struct thread *thread_table_get(struct thread_table *table, int tid);

// It was on that line from then to then, as far as a sample or a wait can tell.
void thread_note_recent(struct thread *thread, uint32_t spot, double begin_s, double end_s);

// The number is used again, by another thread.
void thread_table_replace(struct thread_table *table, struct thread *thread);

// All have ended and no more will come: keeps the first `max` and nothing that is not needed.
void thread_table_close(struct thread_table *table, size_t max);

// Of those that are listed no more.
size_t thread_table_gone_count(const struct thread_table *table);

double thread_table_ready_s(const struct thread_table *table); // of all

void thread_table_clear(struct thread_table *table);
