// SPDX-License-Identifier: Apache-2.0
#pragma once

// Work that tasks hand to threads, and the await that each piece is for: where the step that handed
// it over ends. Its time adds up in the await table, and the thread's samples say whom it works
// for. A thousand pieces at a time; of more than that nothing is told. Context: holds the GIL,
// unless said otherwise

#include <stdbool.h>
#include <stdint.h>

#include "wire/await_table.h"

#define AWAIT_WORK_UNKNOWN ((uintptr_t)1) // a piece whose address was not seen

// The step that the thread is in hands over a piece of work.
void await_work_put(uintptr_t piece);

// That step ends: what it handed over is waited for in this chain; 0: in none.
void await_work_settle(struct await_table *table, uint32_t chain);

// The thread begins with a piece, if it is one that a task handed over.
void await_work_begin(uintptr_t piece, uint64_t tick);

// It comes for more: what it began is done.
void await_work_end(struct await_table *table, uint64_t tick);

// Whether the thread works on one. Context: any thread
bool await_work_is_open(void);

// The chain that the thread works for, as far as it is known by now; 0: none. Context: any thread,
// signal handler
uint32_t await_work_chain(void);

// In the child of a fork, and between two sessions.
void await_work_forget(void);
