// SPDX-License-Identifier: Apache-2.0
#pragma once

// Tasks of asyncio's that wait already when we come: in a program that runs already, and in the
// child of a fork that goes on with its parent's loop. They count as waiting from then on. One that
// is in the middle of a step counts from its next one on.
// Context: holds the GIL, and no exception is set, unless said otherwise

#include <stdint.h>

#include "wire/await_table.h"

// All that there are.
void task_adoption_of_all(void);

// In the child of a fork: from 3.14 on the interpreter is about to forget its tasks there. Those of
// the forking thread, up to some number, are known not to have been counted. Context: fork child
void task_adoption_forked(void);

// Those of the loop that the coroutine's task belongs to, but for that of `other`; 0: for none.
void task_adoption_beside(struct await_table *table, uintptr_t coroutine, uintptr_t other);
