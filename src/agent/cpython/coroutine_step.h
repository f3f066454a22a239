// SPDX-License-Identifier: Apache-2.0
#pragma once

// One step of a coroutine, from where it waited to where it waits next. On 3.8 to 3.11 the
// interpreter makes the same call for every coroutine that the outermost one awaits: only the
// outermost step counts. From 3.12 on a call within a step is a task that begins at once (eager),
// or a coroutine that somebody drives by hand; each counts, unless the outer one turns out to wait
// by way of it. Context: holds the GIL

#include <stdbool.h>
#include <stdint.h>

enum coroutine_way {
    COROUTINE_OF_TASK,      // nobody but a task makes this call
    COROUTINE_OF_ANYBODY,   // the interpreter makes it as well, for coroutines that others await
    COROUTINE_OF_GENERATOR, // the same of an asynchronous generator, which no task is made of
};

struct coroutine_step {
    uintptr_t coroutine;
    uintptr_t outer;        // the frame address of the step that this one is within; 0: none
    uint64_t begin_tick;    // 0: not read
    uint64_t outer_seen_ns; // when the thread was first seen in what it did before
    uint64_t blocked_ns;    // of the thread, as of then
    uint64_t generation;    // of the session
    uint32_t task;          // its place in the table plus one; 0: it has none
    enum coroutine_way way;
    bool is_open; // it is counted
};

// False: coroutines cannot be followed in this interpreter.
bool coroutine_step_learn(void);

void coroutine_step_begin(struct coroutine_step *step, uintptr_t coroutine, enum coroutine_way way);
void coroutine_step_end(const struct coroutine_step *step);

// Whether the thread is in a step. Context: any thread
bool coroutine_step_is_open(void);

// Whether the thread has driven a coroutine yet.
bool coroutine_thread_has_steps(void);

// Anything that a loop calls, a task's step or not. Of a thread that has driven no coroutine yet
// nothing is known. A call made within a step begins anew: it may be that of a loop in the loop.
struct coroutine_call {
    uintptr_t outer;        // the step that it is made within; 0: none
    uint64_t step_count;    // of the thread, as of then
    uint64_t outer_seen_ns; // as of a step
    bool is_looked_at;
};

// `is_step`: of a task, which is looked at as such.
void coroutine_call_begin(struct coroutine_call *call, bool is_step);
void coroutine_call_end(const struct coroutine_call *call);

// In the child of a fork, which may have happened within a step: what the child does next is none
// of it.
void coroutine_step_forked(void);

// Whether it is suspended.
bool coroutine_step_waits(uintptr_t coroutine);

// The coroutine is about to be finalised, maybe while it waits.
void coroutine_step_dropped(uintptr_t coroutine);

// The same of an asynchronous generator that was driven by hand.
void coroutine_step_generator_dropped(uintptr_t generator);
