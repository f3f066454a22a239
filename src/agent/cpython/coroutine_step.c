// SPDX-License-Identifier: Apache-2.0
#include "agent/cpython/coroutine_step.h"

#include "agent/await_sums.h"
#include "agent/await_tasks.h"
#include "agent/await_work.h"
#include "agent/clock.h"
#include "agent/cpython/await_walk.h"
#include "agent/cpython/inner_waits.h"
#include "agent/cpython/interpreter.h"
#include "agent/cpython/task_adoption.h"
#include "agent/cycles.h"
#include "agent/hot.h"
#include "agent/loop_block.h"
#include "agent/session.h"
#include "agent/thread.h"

#define TIMED_STEPS     64
#define TIMED_TICKS_MAX 2048u // some 50 us: what takes longer has lost its core

// The step that the thread is in: an address in its C frame, which one left by a jump does not
// outlive.
static _Thread_local uintptr_t open_step __attribute__((tls_model("initial-exec")));

// Steps that the thread has made so far, those within others left out.
static _Thread_local uint64_t step_count __attribute__((tls_model("initial-exec")));

// The last coroutine that began to wait within the step that the thread is in.
static _Thread_local uintptr_t last_inner __attribute__((tls_model("initial-exec")));

static bool has_strangers; // there may be tasks that began to wait before a fork

bool coroutine_step_learn(void)
{
    return await_walk_learn();
}

HOT static uint32_t find_chain(struct await_table *table, uintptr_t coroutine)
{
    struct await_walk walk;
    uint32_t known = await_sums_recall(coroutine);
    if (known != 0) {
        return known;
    }
    await_walk(&walk, coroutine);
    return await_sums_find(table, walk.key);
}

// What has passed since the reading: of the first steps, which meet much that is new, and later of
// one in so many.
static void count_own(struct await_table *table, uint64_t tick)
{
    uint64_t steps = atomic_load_explicit(&table->steps, memory_order_relaxed);
    if (tick == 0 || (steps > TIMED_STEPS && steps % TIMED_STEPS != 0)) {
        return;
    }
    uint64_t taken = await_sums_tick() - tick;
    taken = taken < TIMED_TICKS_MAX ? taken : TIMED_TICKS_MAX;
    taken *= steps > TIMED_STEPS ? TIMED_STEPS : 1;
    uint64_t own = atomic_load_explicit(&table->own_ticks, memory_order_relaxed);
    atomic_store_explicit(&table->own_ticks, own + taken, memory_order_relaxed);
}

static bool is_followed(void)
{
    return atomic_load_explicit(&session.is_active, memory_order_relaxed);
}

// Up to 3.11 a call within a step is most likely that of a coroutine that another one awaits.
static bool is_own_step(const struct coroutine_step *step, bool is_first, bool is_within)
{
    bool may_begin =
        is_first && interpreter.layout.minor >= 12 && step->way == COROUTINE_OF_ANYBODY;
    return !is_within || step->way == COROUTINE_OF_TASK || may_begin;
}

// When the sampler first looked at the thread's clocks, or the thread began to wait, within what it
// does now; 0: it has neither waited nor computed for as long as would be worth telling.
static uint64_t take_seen_ns(uint64_t outer_seen_ns)
{
    uint64_t seen_ns = thread_self.cpu.first_wall;
    thread_self.cpu.first_wall = outer_seen_ns;
    return seen_ns;
}

// When a stretch began whose begin was not looked at: then at the latest. So it is told too short
// rather than too long.
static COLD uint64_t latest_begin(const struct await_table *table, uint64_t tick, uint64_t seen_ns)
{
    uint64_t now_ns = clock_wall_ns();
    uint64_t ticks = now_ns > seen_ns ? await_sums_ticks(table, now_ns - seen_ns) : 0;
    return ticks < tick ? tick - ticks : 1;
}

// The clock is not read for the first step of a task that is not followed by itself.
HOT static void begin(struct coroutine_step *step, uintptr_t here)
{
    CYCLES_OF_FUNCTION(begin);
    struct await_table *table = await_sums_table();
    enum coroutine_state state = await_walk_state(step->coroutine);
    if (!table || state == COROUTINE_OTHER) {
        return;
    }
    if (__builtin_expect(has_strangers, 0)) {
        has_strangers = false;
        task_adoption_beside(table, step->coroutine, 0);
    }
    uint32_t chain = 0;
    bool is_first = state == COROUTINE_CREATED;
    bool is_within = open_step > here;
    bool is_known = inner_waits_take(step->coroutine, &chain);
    if (!is_known && !is_own_step(step, is_first, is_within)) {
        return;
    }
    if (is_known || !is_first) { // a new one that is known has the address of one that is gone
        step->begin_tick = await_sums_tick();
        chain = is_known ? chain : find_chain(table, step->coroutine);
        await_sums_end(table, chain, step->begin_tick);
    }
    if (step->way != COROUTINE_OF_GENERATOR) {
        step->task = is_first ? await_tasks_begin(table, step->coroutine)
                              : await_tasks_resume(table, step->coroutine, step->begin_tick);
    }
    if (step->task != 0 && step->begin_tick == 0) {
        step->begin_tick = await_sums_tick();
    }
    step->is_open = true;
    step->outer_seen_ns = take_seen_ns(0);
    step->blocked_ns = thread_self.blocked_ns;
    step->generation = session.generation;
    step->outer = is_within ? open_step : 0;
    step_count += is_within ? 0 : 1;
    open_step = here;
    count_own(table, step->begin_tick);
}

void coroutine_step_forked(void)
{
    open_step = 0;
    last_inner = 0;
    has_strangers = true;
    inner_waits_forget();
    task_adoption_forked();
}

HOT void coroutine_step_begin(struct coroutine_step *step, uintptr_t coroutine,
                              enum coroutine_way way)
{
    step->is_open = false;
    step->begin_tick = 0;
    step->task = 0;
    step->coroutine = coroutine;
    step->way = way;
    if (is_followed()) {
        begin(step, (uintptr_t)step);
    }
}

// A step of an inner coroutine's own, by way of which the outer one waits: it is no task.
static void drop_inner(struct await_table *table, const struct await_walk *walk, uint64_t tick)
{
    uint32_t chain;
    for (unsigned i = 0; last_inner && i < walk->count; i++) {
        if (walk->steps[i].coroutine == last_inner && inner_waits_take(last_inner, &chain)) {
            await_sums_end(table, chain, tick);
            await_tasks_forget(table, last_inner);
        }
    }
    last_inner = 0;
}

HOT static uint32_t wait_again(struct await_table *table, const struct coroutine_step *step,
                               const struct await_walk *walk, uint64_t tick)
{
    uint32_t chain = await_walk_chain(table, walk);
    drop_inner(table, walk, tick);
    if (step->outer != 0 || step->way == COROUTINE_OF_GENERATOR) {
        inner_waits_keep(step->coroutine, chain);
        last_inner = step->outer != 0 ? step->coroutine : 0;
    }
    await_sums_begin(table, chain, tick);
    await_sums_remember(step->coroutine, chain);
    return chain;
}

// The step was looked at, or there is something to tell of it.
static void tell(struct await_table *table, const struct coroutine_step *step, uint64_t seen_ns,
                 bool is_waiting)
{
    bool is_same = step->generation == session.generation; // no fork, no other session since
    uint64_t tick = await_sums_tick();
    struct await_walk walk; // large: not to be cleared for every step
    walk.count = 0;
    struct await_stretch stretch = {
        .coroutine = step->coroutine,
        .begin_tick = is_same && step->begin_tick ? step->begin_tick : tick,
        .end_tick = tick,
        .blocked_ns = thread_self.blocked_ns - step->blocked_ns,
        .is_waiting = is_waiting,
    };
    if (is_same && step->begin_tick == 0 && seen_ns != 0) {
        stretch.begin_tick = latest_begin(table, tick, seen_ns);
    }
    if (is_waiting && has_strangers) { // the fork was in this step
        has_strangers = false;
        task_adoption_beside(table, step->coroutine, step->coroutine);
    }
    if (is_waiting) {
        await_walk(&walk, step->coroutine);
        stretch.chain = wait_again(table, step, &walk, tick);
    }
    await_work_settle(table, stretch.chain);
    await_tasks_suspend(table, is_same ? step->task : 0, &stretch);
    if (step->outer == 0 && loop_block_may_be(&stretch)) {
        struct record_frame frames[AWAIT_DEPTH_MAX];
        unsigned own;
        loop_block_send(table, &stretch, frames, await_walk_frames(&walk, frames, &own));
    }
    count_own(table, tick);
}

// Most steps of a program that has many tasks are short, and end a task that nobody follows.
HOT static void end(const struct coroutine_step *step)
{
    CYCLES_OF_FUNCTION(end);
    struct await_table *table = is_followed() ? await_sums_table() : NULL;
    uint64_t seen_ns = take_seen_ns(step->outer_seen_ns);
    open_step = step->outer;
    if (!table) {
        return;
    }
    bool is_waiting = await_walk_state(step->coroutine) == COROUTINE_SUSPENDED;
    if (is_waiting || step->task != 0 || seen_ns != 0) {
        tell(table, step, seen_ns, is_waiting);
    } else {
        await_work_settle(table, 0);
    }
}

HOT void coroutine_step_end(const struct coroutine_step *step)
{
    if (step->is_open) {
        end(step);
    }
}

bool coroutine_step_is_open(void)
{
    return open_step > (uintptr_t)__builtin_frame_address(0) && is_followed();
}

HOT bool coroutine_step_waits(uintptr_t coroutine)
{
    return is_followed() && await_walk_state(coroutine) == COROUTINE_SUSPENDED;
}

HOT void coroutine_step_dropped(uintptr_t coroutine)
{
    if (!coroutine_step_waits(coroutine)) {
        return;
    }
    struct await_table *table = await_sums_made_table();
    uint32_t chain;
    if (table) {
        chain = inner_waits_take(coroutine, &chain) ? chain : find_chain(table, coroutine);
        if (chain == 0) { // of garbage, what it awaits may have been closed first
            chain = await_tasks_chain(table, coroutine);
        }
        await_sums_end(table, chain, await_sums_tick());
        await_tasks_forget(table, coroutine);
    }
}

void coroutine_step_generator_dropped(uintptr_t generator)
{
    uint32_t chain;
    struct await_table *table = is_followed() ? await_sums_made_table() : NULL;
    if (table && inner_waits_take(generator, &chain)) {
        await_sums_end(table, chain, await_sums_tick());
    }
}

HOT bool coroutine_thread_has_steps(void)
{
    return step_count > 0;
}

HOT void coroutine_call_begin(struct coroutine_call *call, bool is_step)
{
    call->step_count = step_count;
    call->is_looked_at = step_count > 0 && !is_step;
    if (call->is_looked_at) {
        call->outer_seen_ns = take_seen_ns(0);
    }
    call->outer = open_step > (uintptr_t)call ? open_step : 0;
    if (call->outer != 0) {
        open_step = 0;
    }
}

static COLD void look_at(uint64_t seen_ns)
{
    struct await_table *table = is_followed() ? await_sums_table() : NULL;
    if (!table) {
        return;
    }
    struct await_stretch stretch = {.end_tick = await_sums_tick()};
    stretch.begin_tick = latest_begin(table, stretch.end_tick, seen_ns);
    if (loop_block_may_be(&stretch)) {
        loop_block_send(table, &stretch, NULL, 0);
    }
}

HOT void coroutine_call_end(const struct coroutine_call *call)
{
    uint64_t seen_ns = call->is_looked_at ? take_seen_ns(call->outer_seen_ns) : 0;
    if (call->outer != 0) {
        open_step = call->outer;
    } else if (seen_ns != 0 && step_count == call->step_count) {
        look_at(seen_ns);
    }
}
