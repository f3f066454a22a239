// SPDX-License-Identifier: Apache-2.0
#pragma once

// Where a process's coroutines wait, in a file of the run's directory that agent and collector map:
// sums that are right at every moment, so that nothing of them is lost with a process that is
// killed. The agent writes, with the GIL held; the collector reads. See docs/async.md.
//
// A chain is a way to wait: the outermost coroutine's await, the next one's, and so on to the
// innermost. A site is the innermost await of the program's own. What they stand for crosses once,
// as RECORD_CHAIN; here they are numbers. Times are ticks: see await_table_tick.

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>
#include <x86intrin.h>

#define AWAIT_MAGIC       0x7469617761637300ull
#define AWAIT_CHAIN_COUNT 4096u // number 0 is for those that found no place
#define AWAIT_SITE_COUNT  2048u // the same
#define AWAIT_TASK_COUNT  1024u
#define AWAIT_NAME_BYTES  48u
#define AWAIT_TICK_SHIFT  6 // of the clock, so that sums over many tasks have room

// How many wait, and the integral of that number over time up to the last change: with the reader's
// own clock it tells the waiting up to now. A reader that comes in the middle of a change is off by
// that one change only.
struct await_sum {
    _Atomic uint64_t waited;   // ticks, summed over those that wait
    _Atomic uint64_t occupied; // ticks in which at least one did
    _Atomic uint64_t last;     // tick of the last change
    _Atomic uint64_t count;    // how often one began to wait
    _Atomic uint32_t now;
    _Atomic uint32_t peak;
};

struct await_chain {
    _Atomic uint64_t key; // 0: free
    uint16_t site;
    uint16_t shares_site;         // with other chains; else its sum is the site's as well
    _Atomic uint32_t piece_count; // of work that threads have done for those that wait there
    struct await_sum sum;
    _Atomic uint64_t worked; // ticks that it took
};

struct await_site {
    _Atomic uint64_t key;
    struct await_sum sum;
    _Atomic uint32_t name_count; // of task names told
    _Atomic uint32_t only_chain; // that leads there: it has the sum. 0: none yet
    uint64_t reserved;
};

#define AWAIT_SITE_IS_SHARED UINT32_MAX // for only_chain: the site has a sum of its own

enum await_task_state { AWAIT_TASK_NONE, AWAIT_TASK_LIVES, AWAIT_TASK_ENDED };

// One task, or coroutine that is driven like one.
struct await_task {
    _Atomic uint32_t state; // enum await_task_state
    uint32_t code_id;       // of its outermost coroutine
    uint32_t creator_code_id;
    int32_t creator_offset;
    uint64_t first;         // tick of its first step
    uint64_t held;          // ticks in which it ran, or kept others from running
    uint64_t longest;       // of these, in one step
    uint64_t blocked_ns;    // of these, spent waiting in calls
    uint64_t waited;        // ticks, up to the last step
    uint64_t waiting_since; // tick; 0: it does not wait
    uint32_t step_count;
    uint32_t last_chain;
    uint8_t name_len; // in bytes
    uint8_t name_width;
    uint8_t reserved[6];
    uint8_t name[AWAIT_NAME_BYTES];
};

struct await_table {
    _Atomic uint64_t magic; // stored last
    uint64_t begin_tick;    // the same moment ...
    uint64_t begin_ns;      // ... by CLOCK_MONOTONIC
    uint64_t begin_off_ns;  // how long profiling had been off by then
    _Atomic uint64_t steps;
    _Atomic uint64_t tasks_unlisted; // that found no place, or made room for others
    _Atomic uint64_t chains_lost;    // whose record found no room, or that found no place
    _Atomic uint64_t own_ticks;      // that following coroutines took, by one step in 64
    struct await_chain chains[AWAIT_CHAIN_COUNT];
    struct await_site sites[AWAIT_SITE_COUNT];
    // The agent's own: the coroutines' addresses, and how many of them fall on each value of a
    // hash, so that nearly every task of a program that has many is known at a glance to have no
    // place.
    _Atomic uint64_t task_keys[AWAIT_TASK_COUNT];
    uint8_t task_filter[AWAIT_TASK_COUNT];
    struct await_task tasks[AWAIT_TASK_COUNT];
    uint32_t has_cycles; // its clock is the cycle counter
    uint32_t reserved;
};

_Static_assert(sizeof(struct await_chain) == 64 && sizeof(struct await_site) == 64,
               "each in a cache line of its own");

// What waits at a site.
static inline const struct await_sum *await_site_sum(const struct await_table *table, uint32_t site)
{
    uint32_t chain = atomic_load_explicit(&table->sites[site].only_chain, memory_order_acquire);
    bool has_one = chain != 0 && chain < AWAIT_CHAIN_COUNT;
    return has_one ? &table->chains[chain].sum : &table->sites[site].sum;
}

// The table's clock, now: of the cycle counter, or of CLOCK_MONOTONIC in nanoseconds. Context: any
// thread
static inline uint64_t await_table_tick(bool has_cycles)
{
    if (has_cycles) {
        return __rdtsc() >> AWAIT_TICK_SHIFT;
    }
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return ((uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec) >> AWAIT_TICK_SHIFT;
}

// The same moment by that clock and by CLOCK_MONOTONIC, even if the thread loses its core between
// two readings. Context: any thread
struct await_moment {
    uint64_t tick;
    uint64_t ns;
};

struct await_moment await_table_now(bool has_cycles);

#define AWAIT_TABLE_BYTES ((sizeof(struct await_table) + 4095u) & ~(size_t)4095u)

// The file beside a ring: "await.PID.N" for "PID.N". False when the path would be too long.
bool await_table_path(char *path, size_t size, const char *run_dir, int pid, unsigned number);

// Makes the file, its pages reserved. NULL, with errno set and nothing left behind, when there is
// no room. Context: any thread
struct await_table *await_table_create(const char *path);

// NULL when there is none, or it is not ready.
struct await_table *await_table_open(const char *path);
void await_table_close(struct await_table *table);
