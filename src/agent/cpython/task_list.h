// SPDX-License-Identifier: Apache-2.0
#pragma once

// The tasks of asyncio's that there are. Those that are written in Python (`_PyTask`) are none:
// they lie in memory in another way. Context: holds the GIL, and no exception is set

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef bool task_visitor(void *context, uintptr_t task); // false: that is enough

enum task_scope {
    TASKS_OF_THREAD, // from 3.14 on; before, one cannot tell
    TASKS_OF_ALL,    // of this interpreter
};

// Shows every `stride`th, from number `first` on.
struct task_scan {
    enum task_scope scope;
    size_t first;
    size_t stride;
    task_visitor *visitor;
    void *context;
};

// False: they cannot be found in this interpreter, and there seem to be none.
bool task_list_learn(void);

// Whether they lie in lists, as from 3.14 on, which the child of a fork begins anew.
bool task_list_has_lists(void);

size_t task_list_count(enum task_scope scope);
void task_list_scan(const struct task_scan *scan);
