// SPDX-License-Identifier: Apache-2.0
#include "agent/cpython/task_snapshot.h"

#include <stddef.h>
#include <stdint.h>

#include "agent/await_sums.h"
#include "agent/cpython/await_walk.h"
#include "agent/cpython/interpreter.h"
#include "agent/cpython/slots.h"
#include "agent/cpython/task.h"
#include "agent/cpython/task_call.h"
#include "agent/cpython/task_list.h"
#include "agent/session.h"
#include "agent/thread.h"

#define IDLE_NS      10000000u // between two looks, at least, and ...
#define IDLE_TASK_NS 6400u     // ... for each task: going past one takes a hundredth of that
#define LOOKED_MAX   500u      // tasks at a look
#define INITIAL_EXEC __attribute__((tls_model("initial-exec")))

// What one look finds: the chains that tasks of the loop wait in.
struct look {
    struct await_table *table;
    uintptr_t loop;
    uint32_t chains[LOOKED_MAX];
    unsigned count;
};

static struct slot_list slots;
static fast_keywords *real_run;
static uint64_t gap_ns = IDLE_NS;

// Idle time of loops one after the other, as if there were but one: what one look counts must not
// end what another one does.
static uint64_t looked_ticks;

static _Thread_local uint64_t seen_blocked_ns INITIAL_EXEC;
static _Thread_local uintptr_t own_loop INITIAL_EXEC; // that the thread runs; 0: none yet

static bool look_at_task(void *context, uintptr_t task)
{
    struct look *look = context;
    uintptr_t coroutine = task_loop(task) == look->loop ? task_coroutine(task) : 0;
    if (coroutine && await_walk_state(coroutine) == COROUTINE_SUSPENDED) {
        struct await_walk walk;
        await_walk(&walk, coroutine);
        look->chains[look->count++] = await_walk_chain(look->table, &walk);
    }
    return look->count < LOOKED_MAX;
}

// Each of them has waited where it stands since the loop began to idle, and so have those that it
// stands for.
static void count(const struct look *look, uint64_t ticks, uint32_t tasks)
{
    for (unsigned i = 0; i < look->count; i++) {
        await_sums_begin_many(look->table, look->chains[i], looked_ticks, tasks);
    }
    looked_ticks += ticks;
    for (unsigned i = 0; i < look->count; i++) {
        await_sums_end_many(look->table, look->chains[i], looked_ticks, tasks);
    }
}

// Begins anywhere, so that each task is as likely to be seen as the next.
static __attribute__((noinline)) void take(uint64_t idle_ns)
{
    static uint32_t random = 1;
    struct await_table *table = await_sums_table();
    if (!table || interpreter_is_finalizing()) {
        return;
    }
    random = random * 1664525u + 1013904223u;
    size_t tasks = task_list_count(TASKS_OF_THREAD);
    size_t stride = tasks / LOOKED_MAX + 1;
    struct look look = {.table = table, .loop = own_loop};
    task_list_scan(&(struct task_scan){
        .scope = TASKS_OF_THREAD,
        .first = (random >> 8) % stride,
        .stride = stride,
        .visitor = look_at_task,
        .context = &look,
    });
    count(&look, await_sums_ticks(table, idle_ns), (uint32_t)stride);
    gap_ns = tasks * IDLE_TASK_NS > IDLE_NS ? tasks * IDLE_TASK_NS : IDLE_NS;
}

// What the thread did before it had a loop is none of its idling.
static void on_call(const void *callable)
{
    uint64_t idle_ns = thread_self.blocked_ns - seen_blocked_ns;
    if (own_loop && idle_ns >= gap_ns) {
        take(idle_ns);
        seen_blocked_ns = thread_self.blocked_ns;
    }
    uintptr_t task = task_call_task(callable);
    if (task && !own_loop) {
        seen_blocked_ns = thread_self.blocked_ns;
    }
    own_loop = task ? task_loop(task) : own_loop;
}

static void *hooked_run(void *self, void *const *arguments, ptrdiff_t count_of, void *names)
{
    if (count_of > 0 && atomic_load_explicit(&session.is_active, memory_order_relaxed)) {
        on_call(arguments[0]);
    }
    return real_run(self, arguments, count_of, names);
}

bool task_snapshot_install(void)
{
    uintptr_t type = (uintptr_t)interpreter_symbol("PyContext_Type");
    if (slots.count > 0 || !type || !task_list_learn() ||
        !slots_add_method(&slots, type, "run", CALL_FAST | CALL_KEYWORDS, (void *)hooked_run)) {
        return slots.count > 0;
    }
    real_run = (fast_keywords *)slots.list[0].original;
    slots_install(&slots);
    return true;
}

void task_snapshot_remove(void)
{
    slots_remove(&slots);
}
