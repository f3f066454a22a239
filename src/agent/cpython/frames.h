// SPDX-License-Identifier: Apache-2.0
#pragma once

// The calling thread's Python stack, innermost frame first.
// Context: the thread itself, in its signal handler or in a hook; with or without the GIL

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <ucontext.h>

#include "wire/record.h"
#include "wire/ring.h"

struct frames {
    struct record_frame list[RECORD_FRAME_MAX];
    size_t count;
    unsigned flags;                 // enum sample_flag: GIL, thread known, truncated, deep
    enum opcode_class opcode_class; // of the innermost frame
    uintptr_t outermost;            // address of the frame; 0 where the walk did not come so far
    uintptr_t mark; // an address in the innermost evaluation loop's C frame; 0 when unknown
};

// Sends code objects met for the first time through `ring`. No frames before the interpreter runs,
// and in a thread that it does not know.
void frames_walk(struct frames *frames, struct ring *ring);

// The same in a signal handler: what the interpreter had no time to store may be in a register.
void frames_walk_interrupted(struct frames *frames, struct ring *ring, const ucontext_t *context);

// The same, for a thread that has come here by a call of its own: no signal handler.
void frames_walk_at_rest(struct frames *frames, struct ring *ring);

// The innermost frame that is not a library's, as far as its file's name tells; the GIL is held.
// False when there is none.
bool frames_find_own(struct record_frame *found, struct ring *ring);

// The innermost frame alone, as one number that differs for another place; 0 for none.
uint64_t frames_leaf(void);
