// SPDX-License-Identifier: Apache-2.0
#include "agent/await_work.h"

#include <string.h>

#include "agent/hot.h"

#define WORK_COUNT   1024u
#define PROBE_LENGTH 8u
#define RELAXED      memory_order_relaxed
#define INITIAL_EXEC __attribute__((tls_model("initial-exec")))

enum work_state {
    WORK_NONE,
    WORK_WAITS, // for a thread
    WORK_RUNS,
    WORK_DONE, // before the step that handed it over
};

static struct work {
    uintptr_t piece;
    uint64_t begin_tick; // once it is done: how long it took
    const void *worker;  // the thread that works on it, by an address of its own
    uint32_t chain;
    uint16_t next; // of the same step, plus one; 0: none
    uint8_t state;
    bool is_settled;
} works[WORK_COUNT];

static uint32_t waiting_count; // pieces that wait for a thread

static _Thread_local uint32_t handed_over INITIAL_EXEC; // by this step: the last one, plus one
static _Thread_local uint32_t at_work INITIAL_EXEC;     // on this one, plus one

static bool is_older(const struct work *work, const struct work *other)
{
    return work->state == WORK_RUNS && work->is_settled &&
           (!other || work->begin_tick < other->begin_tick);
}

// Where the piece is, else a free place, else that of the oldest which a thread began with and
// never came back from, else NULL.
static struct work *place_of(uintptr_t piece, bool is_new)
{
    struct work *free_one = NULL;
    struct work *oldest = NULL;
    uint32_t first = (uint32_t)((piece >> 4) * 0x9e3779b97f4a7c15u >> 54);
    for (uint32_t i = 0; i < PROBE_LENGTH; i++) {
        struct work *work = &works[(first + i) % WORK_COUNT];
        if (work->state == WORK_WAITS && work->piece == piece) {
            return work;
        }
        free_one = !free_one && work->state == WORK_NONE ? work : free_one;
        oldest = is_older(work, oldest) ? work : oldest;
    }
    free_one = free_one ? free_one : oldest;
    return is_new ? free_one : NULL;
}

void await_work_put(uintptr_t piece)
{
    struct work *work = place_of(piece, true);
    bool is_stale = work && work->state == WORK_WAITS; // one of that address went another way
    if (!work || (is_stale && !work->is_settled)) {
        return;
    }
    waiting_count -= is_stale ? 1 : 0;
    *work = (struct work){.piece = piece, .state = WORK_WAITS, .next = (uint16_t)handed_over};
    handed_over = (uint32_t)(work - works) + 1;
    waiting_count++;
}

static void count(struct await_table *table, uint32_t chain, uint64_t ticks)
{
    struct await_chain *row = &table->chains[chain];
    uint64_t worked = atomic_load_explicit(&row->worked, RELAXED) + ticks;
    uint32_t pieces = atomic_load_explicit(&row->piece_count, RELAXED) + 1;
    atomic_store_explicit(&row->worked, worked, RELAXED);
    atomic_store_explicit(&row->piece_count, pieces, RELAXED);
}

HOT void await_work_settle(struct await_table *table, uint32_t chain)
{
    for (uint32_t at = handed_over; at != 0;) {
        struct work *work = &works[at - 1];
        at = work->next;
        work->next = 0;
        work->chain = chain;
        work->is_settled = true;
        if (work->state == WORK_DONE) {
            if (chain != 0) {
                count(table, chain, work->begin_tick);
            }
            work->state = WORK_NONE;
        }
    }
    handed_over = 0;
}

void await_work_begin(uintptr_t piece, uint64_t tick)
{
    struct work *work = waiting_count > 0 ? place_of(piece, false) : NULL;
    if (waiting_count > 0 && !work) {
        work = place_of(AWAIT_WORK_UNKNOWN, false);
    }
    if (work) {
        work->state = WORK_RUNS;
        work->begin_tick = tick;
        work->worker = &at_work;
        waiting_count--;
        at_work = (uint32_t)(work - works) + 1;
    }
}

// What the thread works on, unless it was given up for lost.
static struct work *own_work(void)
{
    struct work *work = at_work != 0 ? &works[at_work - 1] : NULL;
    return work && work->state == WORK_RUNS && work->worker == &at_work ? work : NULL;
}

void await_work_end(struct await_table *table, uint64_t tick)
{
    struct work *work = own_work();
    at_work = 0;
    if (!work) {
        return;
    }
    uint64_t ticks = tick > work->begin_tick ? tick - work->begin_tick : 0;
    if (work->is_settled && work->chain != 0) {
        count(table, work->chain, ticks);
    }
    work->begin_tick = ticks;
    work->state = work->is_settled ? WORK_NONE : WORK_DONE;
}

bool await_work_is_open(void)
{
    return at_work != 0;
}

uint32_t await_work_chain(void)
{
    const struct work *work = own_work();
    return work ? work->chain : 0;
}

void await_work_forget(void)
{
    memset(works, 0, sizeof works);
    waiting_count = 0;
    handed_over = 0;
    at_work = 0;
}
