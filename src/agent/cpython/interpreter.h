// SPDX-License-Identifier: Apache-2.0
#pragma once

// The Python in this process: its version and layout, and which of its threads we are in. Found by
// exported symbols alone, so that shared and static, stripped and unstripped builds are the same.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "agent/cpython/layout.h"

struct interpreter {
    uint32_t version; // PY_VERSION_HEX
    unsigned flags;   // enum interpreter_flag
    struct layout layout;
    uintptr_t code_type;     // PyCode_Type
    uintptr_t runtime_start; // _PyRuntime
    uintptr_t runtime_end;
    uintptr_t eval_start; // the evaluation loop, by its symbol
    uintptr_t eval_end;
    ptrdiff_t
        current_slot; // thread-local: state of the GIL's holder, from the thread pointer; 0: none
    ptrdiff_t gilstate_slot; // thread-local: state of this thread (3.14 on)
    size_t frame_extent;     // bytes of a frame ...
    size_t code_extent;      // ... and of a code object that a walk reads
    bool can_walk;           // set last
};

extern struct interpreter interpreter;

// An exported function or variable of the interpreter's; NULL when this version has none.
void *interpreter_symbol(const char *name);

// Looks for Python's symbols. False: this is not a Python program. Context: constructor.
bool interpreter_find(void);

// Learns what only a running interpreter tells, and sends it; each session anew. Context: holds the
// GIL, and no thread is sampled yet that Python knows.
void interpreter_learn(void);

struct interpreter_thread {
    uintptr_t state; // the thread state; 0: Python does not know this thread
    bool holds_gil;
};

// Context: any thread, signal handler
struct interpreter_thread interpreter_thread(void);

// The thread state alone, in a few nanoseconds; before 3.12 that of the main interpreter even where
// the thread runs another one. Context: any thread, signal handler
uintptr_t interpreter_thread_state(void);

// It has begun to tear itself down. Context: any thread, signal handler
bool interpreter_is_finalizing(void);

// Whether a condition variable or mutex is the GIL's. Context: any thread, signal handler
bool interpreter_owns_lock(const void *lock);
