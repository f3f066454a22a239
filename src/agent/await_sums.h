// SPDX-License-Identifier: Apache-2.0
#pragma once

// The process's await table: how many coroutines wait where, and for how long in all. It is made
// when the first one runs, once a process; without room for it nothing is counted.
// Context: holds the GIL

#include <stdbool.h>
#include <stdint.h>

#include "agent/clock.h"
#include "wire/await_table.h"
#include "wire/record.h"

#define AWAIT_DEPTH_MAX 32u // of a chain; what lies further inside is left out

// The table, made now if there is none; NULL when it could not be had.
struct await_table *await_sums_table(void);

// The same, but none is made: a process in which nothing ever waited has nothing to end.
struct await_table *await_sums_made_table(void);

// Makes it where it will be wanted, before the folder that it belongs in is out of reach.
void await_sums_prepare(void);

// Now, on a clock that stands while profiling is off.
uint64_t await_sums_tick(void);

// The ticks that are as long as so many nanoseconds.
uint64_t await_sums_ticks(const struct await_table *table, uint64_t ns);

// The reverse.
uint64_t await_sums_ns(const struct await_table *table, uint64_t ticks);

// In the child of a fork, and between two sessions: there is no table.
void await_sums_forget(void);

// The number of the chain with this key; 0 when it is new or found no place.
uint32_t await_sums_find(const struct await_table *table, uint64_t key);

// A new chain: takes a number for it and tells the collector what it stands for. `site` is the
// index in `frames` of the innermost frame of the program's own; there may be none of either.
// Returns the number; 0 when there was no place.
uint32_t await_sums_add(struct await_table *table, uint64_t key, const struct record_frame *frames,
                        unsigned count, unsigned site);

// Where a coroutine has begun to wait, so that its chain need not be walked again when it goes on;
// 0 when that is forgotten. What is recalled is forgotten.
void await_sums_remember(uintptr_t coroutine, uint32_t chain);
uint32_t await_sums_recall(uintptr_t coroutine);

// One more waits in the chain of this number, or one less.
void await_sums_begin(struct await_table *table, uint32_t number, uint64_t tick);
void await_sums_end(struct await_table *table, uint32_t number, uint64_t tick);

// The same of several at once.
void await_sums_begin_many(struct await_table *table, uint32_t number, uint64_t tick,
                           uint32_t tasks);
void await_sums_end_many(struct await_table *table, uint32_t number, uint64_t tick, uint32_t tasks);
