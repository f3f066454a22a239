// SPDX-License-Identifier: Apache-2.0
#include "agent/await_tasks.h"

#include <string.h>

#include "agent/await_sums.h"
#include "agent/cpython/await_walk.h"
#include "agent/cpython/task.h"
#include "agent/hot.h"
#include "agent/session.h"

#define PROBE_LENGTH 4u
#define CROWDED      AWAIT_TASK_COUNT // so many found no place: few look for one from then on
#define FULL_PART    256u       // of new tasks that get a place where another has to go for them
#define HEAVY_TICKS  (1u << 16) // about a millisecond: a step that gets its task a place
#define NAMES_MAX    100u       // of tasks, told for each site
#define RELAXED      memory_order_relaxed

// Whose name was told for which site, by the task's place.
static uint8_t told[AWAIT_TASK_COUNT][AWAIT_SITE_COUNT / 8];

static uint32_t first_place(uintptr_t coroutine)
{
    return (uint32_t)((coroutine >> 4) * 0x9e3779b97f4a7c15u >> 40) % AWAIT_TASK_COUNT;
}

static uint8_t *filter_of(struct await_table *table, uintptr_t coroutine)
{
    return &table->task_filter[(coroutine >> 4) * 0x9e3779b97f4a7c15u >> 54];
}

HOT static uint32_t find(struct await_table *table, uintptr_t coroutine)
{
    if (*filter_of(table, coroutine) == 0) {
        return 0;
    }
    for (uint32_t i = 0; i < PROBE_LENGTH; i++) {
        uint32_t at = (first_place(coroutine) + i) % AWAIT_TASK_COUNT;
        if (atomic_load_explicit(&table->task_keys[at], RELAXED) == coroutine) {
            return at + 1;
        }
    }
    return 0;
}

static uint64_t weight(const struct await_task *task)
{
    return task->held * 16 + task->waited;
}

// A place where nobody was, else that of the lightest that has ended; 0: all of them live.
static uint32_t find_room(const struct await_table *table, uintptr_t coroutine, bool may_replace)
{
    uint32_t best = 0;
    for (uint32_t i = 0; i < PROBE_LENGTH; i++) {
        uint32_t at = (first_place(coroutine) + i) % AWAIT_TASK_COUNT;
        const struct await_task *task = &table->tasks[at];
        uint32_t state = atomic_load_explicit(&task->state, RELAXED);
        if (state == AWAIT_TASK_NONE) {
            return at + 1;
        }
        if (may_replace && state == AWAIT_TASK_ENDED &&
            (best == 0 || weight(task) < weight(&table->tasks[best - 1]))) {
            best = at + 1;
        }
    }
    return best;
}

static void count_unlisted(struct await_table *table, int change)
{
    uint64_t count = atomic_load_explicit(&table->tasks_unlisted, RELAXED);
    atomic_store_explicit(&table->tasks_unlisted, count + (uint64_t)(int64_t)change, RELAXED);
}

static COLD uint32_t add(struct await_table *table, uintptr_t coroutine, uint64_t tick,
                         bool may_replace)
{
    uint32_t place = find_room(table, coroutine, may_replace);
    if (place == 0) {
        return 0;
    }
    struct await_task *task = &table->tasks[place - 1];
    if (atomic_load_explicit(&task->state, RELAXED) != AWAIT_TASK_NONE) {
        count_unlisted(table, 1);
    }
    atomic_store_explicit(&task->state, AWAIT_TASK_NONE, RELAXED);
    memset((char *)task + sizeof task->state, 0, sizeof *task - sizeof task->state);
    task->code_id = await_walk_code_id(coroutine);
    task->first = tick;
    memset(told[place - 1], 0, sizeof told[place - 1]);
    task_tell(task, coroutine);
    atomic_store_explicit(&table->task_keys[place - 1], coroutine, RELAXED);
    uint8_t *count = filter_of(table, coroutine);
    *count += *count < UINT8_MAX; // there it stays
    atomic_store_explicit(&task->state, AWAIT_TASK_LIVES, memory_order_release);
    return place;
}

static void finish(struct await_table *table, uint32_t place)
{
    struct await_task *task = &table->tasks[place - 1];
    uintptr_t coroutine = atomic_load_explicit(&table->task_keys[place - 1], RELAXED);
    uint8_t *count = filter_of(table, coroutine);
    *count -= *count < UINT8_MAX;
    task->waiting_since = 0;
    atomic_store_explicit(&table->task_keys[place - 1], 0, RELAXED);
    atomic_store_explicit(&task->state, AWAIT_TASK_ENDED, RELAXED);
}

// Some way before it gets a place, or none: most tasks of a program that makes many are not asked
// about.
HOT bool await_tasks_wants_more(void)
{
    static uint32_t asked;
    return asked++ < AWAIT_TASK_COUNT || asked % FULL_PART == 0;
}

static void count_step(struct await_table *table)
{
    uint64_t steps = atomic_load_explicit(&table->steps, RELAXED) + 1;
    atomic_store_explicit(&table->steps, steps, RELAXED);
}

HOT uint32_t await_tasks_begin(struct await_table *table, uintptr_t coroutine)
{
    count_step(table);
    uint32_t place = find(table, coroutine);
    if (place != 0) {
        finish(table, place); // another one that had the same address
    }
    uint64_t unlisted = atomic_load_explicit(&table->tasks_unlisted, RELAXED);
    bool may_replace = unlisted % FULL_PART == 0;
    place = may_replace || unlisted < CROWDED
                ? add(table, coroutine, await_sums_tick(), may_replace)
                : 0;
    if (place == 0) {
        count_unlisted(table, 1);
    }
    return place;
}

static bool was_told(uint32_t place, uint32_t site)
{
    uint8_t *byte = &told[place - 1][site / 8];
    uint8_t bit = (uint8_t)(1u << site % 8);
    bool is_told = *byte & bit;
    *byte |= bit;
    return is_told;
}

static bool send_name(const struct await_task *task, uint32_t chain)
{
    struct ring *ring = task->name_len ? session_ring() : NULL;
    struct record_await_name *record =
        ring ? ring_reserve(ring, RECORD_AWAIT_NAME, sizeof *record + task->name_len) : NULL;
    if (!record) {
        return false;
    }
    record->chain = chain;
    record->name_len = task->name_len;
    record->name_width = task->name_width;
    memset(record->reserved, 0, sizeof record->reserved);
    memcpy(record + 1, task->name, task->name_len);
    ring_commit(record);
    return true;
}

// Each task once for each site, under the name that it has by then.
static void tell_name(struct await_table *table, uint32_t place, uintptr_t coroutine,
                      uint32_t chain)
{
    uint32_t number = table->chains[chain].site;
    struct await_site *site = &table->sites[number];
    uint32_t count = atomic_load_explicit(&site->name_count, RELAXED);
    if (chain == 0 || count >= NAMES_MAX || was_told(place, number)) {
        return;
    }
    struct await_task *task = &table->tasks[place - 1];
    task_tell_name(task, coroutine);
    if (send_name(task, chain)) {
        atomic_store_explicit(&site->name_count, count + 1, RELAXED);
    }
}

static void wait_in(struct await_table *table, uint32_t place, uintptr_t coroutine, uint32_t chain,
                    uint64_t tick)
{
    struct await_task *task = &table->tasks[place - 1];
    task->waiting_since = tick;
    if (task->last_chain != chain) {
        task->last_chain = chain;
        tell_name(table, place, coroutine, chain);
    }
}

void await_tasks_meet(struct await_table *table, uintptr_t coroutine, uint32_t chain, uint64_t tick)
{
    uint32_t place = add(table, coroutine, tick, false);
    if (place != 0) {
        wait_in(table, place, coroutine, chain, tick);
    } else {
        count_unlisted(table, 1);
    }
}

HOT uint32_t await_tasks_resume(struct await_table *table, uintptr_t coroutine, uint64_t tick)
{
    count_step(table);
    uint32_t place = find(table, coroutine);
    if (place != 0) {
        struct await_task *task = &table->tasks[place - 1];
        if (task->waiting_since != 0 && tick > task->waiting_since) {
            task->waited += tick - task->waiting_since;
        }
        task->waiting_since = 0;
    }
    return place;
}

HOT void await_tasks_suspend(struct await_table *table, uint32_t place,
                             const struct await_stretch *stretch)
{
    uint64_t held = stretch->end_tick - stretch->begin_tick;
    if (place == 0 && held > HEAVY_TICKS) {
        place = add(table, stretch->coroutine, stretch->begin_tick, true);
        count_unlisted(table, place ? -1 : 0);
    }
    if (place == 0) {
        return;
    }
    struct await_task *task = &table->tasks[place - 1];
    task->held += held;
    task->longest = held > task->longest ? held : task->longest;
    task->blocked_ns += stretch->blocked_ns;
    task->step_count++;
    if (!stretch->is_waiting) {
        task_tell_name(task, stretch->coroutine); // it may have got another one since
        finish(table, place);
        return;
    }
    wait_in(table, place, stretch->coroutine, stretch->chain, stretch->end_tick);
}

void await_tasks_forget(struct await_table *table, uintptr_t coroutine)
{
    uint32_t place = find(table, coroutine);
    if (place != 0) {
        finish(table, place);
    }
}

uint32_t await_tasks_chain(struct await_table *table, uintptr_t coroutine)
{
    uint32_t place = find(table, coroutine);
    return place != 0 && table->tasks[place - 1].waiting_since != 0
               ? table->tasks[place - 1].last_chain
               : 0;
}
