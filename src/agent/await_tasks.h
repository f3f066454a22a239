// SPDX-License-Identifier: Apache-2.0
#pragma once

// What is kept of single tasks, of about a thousand at a time, in the await table: those that end
// make room for others, the lightest first. The rest are counted.
// Context: holds the GIL

#include <stdbool.h>
#include <stdint.h>

#include "wire/await_table.h"

// From the begin of a step to its end.
struct await_stretch {
    uintptr_t coroutine;
    uint64_t begin_tick;
    uint64_t end_tick;
    uint64_t blocked_ns; // of it, in calls
    uint32_t chain;      // where it waits now
    bool is_waiting;
};

// Whether a task that is made now may be followed.
bool await_tasks_wants_more(void);

// It waits already when it is first seen.
void await_tasks_meet(struct await_table *table, uintptr_t coroutine, uint32_t chain,
                      uint64_t tick);

// Its first step begins. Returns the task's place plus one; 0 when it has none.
uint32_t await_tasks_begin(struct await_table *table, uintptr_t coroutine);

// The same of a later step.
uint32_t await_tasks_resume(struct await_table *table, uintptr_t coroutine, uint64_t tick);

// It ends. A task that has no place yet gets one if it has kept others waiting for long.
void await_tasks_suspend(struct await_table *table, uint32_t place,
                         const struct await_stretch *stretch);

// The chain that a followed task waits in, as of its last step; 0: not known.
uint32_t await_tasks_chain(struct await_table *table, uintptr_t coroutine);

// The coroutine ends without a step, or turns out to be no task.
void await_tasks_forget(struct await_table *table, uintptr_t coroutine);
