// SPDX-License-Identifier: Apache-2.0
#pragma once

// The Python stack of a blocked thread, read from outside by the layout that its agent sent. Only a
// thread that is still in the same wait afterwards has shown its stack: the caller looks.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collect/remote_memory.h"
#include "wire/layout.h"
#include "wire/record.h"

// What one must know of an interpreter to read it. Zero-initialised: nothing known.
struct remote_interpreter {
    bool is_known;
    struct layout layout;
    uint64_t code_type; // address of PyCode_Type
    uint64_t runtime_start;
    uint64_t runtime_end;
};

// Whether the numbers can be used: what the agent sends is not trusted.
bool remote_stack_accepts(const struct layout *layout);

// A frame as it was found. The code object may be one that was never sent.
struct remote_frame {
    uint64_t code;
    int32_t offset; // of the instruction, in bytes
};

// Innermost first, at most RECORD_FRAME_MAX. `thread_id` is Python's number of the thread, 0 when
// it is not known: a state that belongs to another thread has no frames.
size_t remote_stack_walk(struct remote_memory *memory, const struct remote_interpreter *interpreter,
                         uint64_t state, uint64_t thread_id,
                         struct remote_frame frames[RECORD_FRAME_MAX]);
