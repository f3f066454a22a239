// SPDX-License-Identifier: Apache-2.0
#pragma once

// A coroutine that does not run, as it lies in memory: whether it has begun, and where it and those
// that it awaits stand. Coroutines, generators and asynchronous generators are built alike;
// compiled ones have no lines, but may lead on to one that has. Context: holds the GIL

#include <stdbool.h>
#include <stdint.h>

#include "agent/await_sums.h"

// Learns where things lie. False: not known of this interpreter.
bool await_walk_learn(void);

enum coroutine_state {
    COROUTINE_CREATED, // has not run yet, or waits for nothing
    COROUTINE_SUSPENDED,
    COROUTINE_OTHER, // runs, or has ended
};

enum coroutine_state await_walk_state(uintptr_t coroutine);

// Whether a coroutine of the interpreter's own is in the middle of a step.
bool await_walk_runs(uintptr_t coroutine);

struct await_step {
    uintptr_t coroutine;
    uintptr_t code;
    uintptr_t instruction; // as the frame has it: an address, or an index
};

// Where a suspended coroutine waits, outermost first.
struct await_walk {
    uint64_t key; // of all of it; never 0
    unsigned count;
    struct await_step steps[AWAIT_DEPTH_MAX];
};

void await_walk(struct await_walk *walk, uintptr_t coroutine);

// The same as frames, innermost first, code objects sent where they are new. `*own` is the
// innermost that is not a library's, as far as its file's name tells; the innermost of all when
// every one is.
unsigned await_walk_frames(const struct await_walk *walk,
                           struct record_frame frames[AWAIT_DEPTH_MAX], unsigned *own);

// The number of the chain in the table, told to the collector where it is new; 0: it has no place.
uint32_t await_walk_chain(struct await_table *table, const struct await_walk *walk);

// The code of a coroutine in any state, also one that has ended; 0 when it has none.
uint32_t await_walk_code_id(uintptr_t coroutine);
