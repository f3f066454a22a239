// SPDX-License-Identifier: Apache-2.0
#pragma once

// The asyncio task whose step runs: its name. It is found where asyncio itself looks for the
// current task, and is believed only if it is the coroutine's own. Context: holds the GIL

#include <stdbool.h>
#include <stdint.h>

#include "wire/await_table.h"

// All that is told of it, and its name alone, which may change. Where it is not found, nothing is.
void task_tell(struct await_task *task, uintptr_t coroutine);
void task_tell_name(struct await_task *task, uintptr_t coroutine);

// The task whose step the coroutine's is, if it is one of asyncio's own; else 0.
uintptr_t task_of_step(uintptr_t coroutine);

// A loop is about to call this task's step, which then need not be looked for; 0: the call is over.
void task_expect(uintptr_t task);

// The type of asyncio's own tasks, if the object is one or of a class derived from it; else 0.
uintptr_t task_type_of(uintptr_t object);

// Whether it is known how tasks lie in memory.
bool task_is_known(void);

// The outermost coroutine of a task of asyncio's; 0: it has none.
uintptr_t task_coroutine(uintptr_t task);

// The loop that a task of asyncio's belongs to.
uintptr_t task_loop(uintptr_t task);

// From 3.14 on a thread has its tasks in a list: where its head lies in the thread state, below 0
// before; and the task that a node is part of.
int task_list_offset(void);
uintptr_t task_of_node(uintptr_t node);

// The outermost coroutine, if it is not of the interpreter's own type: compiled, or a generator. 0:
// it is, or is not known.
uintptr_t task_foreign_coroutine(uintptr_t task);
