// SPDX-License-Identifier: Apache-2.0
#include "agent/cpython/task_adoption.h"

#include "agent/await_sums.h"
#include "agent/await_tasks.h"
#include "agent/cpython/await_walk.h"
#include "agent/cpython/inner_waits.h"
#include "agent/cpython/interpreter.h"
#include "agent/cpython/task.h"
#include "agent/cpython/task_list.h"

#define FORKED_MAX 128u // as many as there are places for, more or less

struct adoption {
    struct await_table *table;
    uintptr_t loop;  // 0: of any
    uintptr_t other; // is left out
};

static void begin(struct await_table *table, uintptr_t task, uintptr_t coroutine)
{
    struct await_walk walk;
    await_walk(&walk, coroutine);
    uint32_t chain = await_walk_chain(table, &walk);
    uint64_t tick = await_sums_tick();
    await_sums_begin(table, chain, tick);
    await_sums_remember(coroutine, chain);
    task_expect(task);
    await_tasks_meet(table, coroutine, chain, tick);
    task_expect(0);
}

static bool adopt(void *context, uintptr_t task)
{
    const struct adoption *adoption = context;
    uintptr_t coroutine = task_coroutine(task);
    bool is_ours = adoption->loop == 0 || task_loop(task) == adoption->loop;
    if (!is_ours || coroutine == 0 || coroutine == adoption->other) {
        return true;
    }
    if (await_walk_state(coroutine) == COROUTINE_SUSPENDED) {
        begin(adoption->table, task, coroutine);
    } else if (await_walk_runs(coroutine)) {
        inner_waits_keep(coroutine, 0); // its next step ends no wait that was counted
    }
    return true;
}

static void scan(struct adoption *adoption)
{
    task_list_scan(&(struct task_scan){
        .scope = TASKS_OF_ALL, .stride = 1, .visitor = adopt, .context = adoption});
}

void task_adoption_of_all(void)
{
    struct adoption adoption = {0};
    if (task_list_count(TASKS_OF_ALL) > 0) {
        adoption.table = await_sums_table();
    }
    if (adoption.table) {
        scan(&adoption);
    }
}

static bool set_apart(void *context, uintptr_t task)
{
    unsigned *count = context;
    uintptr_t coroutine = task_coroutine(task);
    if (coroutine && await_walk_state(coroutine) == COROUTINE_SUSPENDED) {
        inner_waits_keep(coroutine, 0);
        ++*count;
    }
    return *count < FORKED_MAX;
}

void task_adoption_forked(void)
{
    unsigned count = 0;
    if (task_list_has_lists() && interpreter_thread().holds_gil) {
        task_list_scan(&(struct task_scan){
            .scope = TASKS_OF_THREAD, .stride = 1, .visitor = set_apart, .context = &count});
    }
}

void task_adoption_beside(struct await_table *table, uintptr_t coroutine, uintptr_t other)
{
    uintptr_t task = task_of_step(coroutine);
    if (task) {
        struct adoption adoption = {table, task_loop(task), other};
        scan(&adoption);
    }
}
