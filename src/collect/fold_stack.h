// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the stack of a record says: its innermost line of a profiled file, and the native frames
// behind the copy that it brings along.

#include "collect/fold.h"

#define FOLD_CHAIN_MAX    128u // native frames
#define FOLD_AWAITING_MAX 32u
#define FOLD_FRAMES_MAX   (FOLD_AWAITING_MAX + RECORD_FRAME_MAX + FOLD_CHAIN_MAX)

// The innermost line in a profiled file; false when there is none. Frames are innermost first.
bool fold_find_place(struct fold *fold, struct process *process, const struct record_frame *frames,
                     size_t count, struct tally_place *place);

// The numbers of the frames whose code is known and no shim, outermost first. Returns how many.
size_t fold_number_frames(struct stack_table *stacks, struct process *process,
                          const struct record_frame *frames, size_t count, uint32_t *numbers);

// The same of the coroutines that wait for what a thread works on: chain 0 is none.
size_t fold_number_awaiting(struct stack_table *stacks, const struct process *process,
                            uint32_t chain, uint32_t *numbers);

// The same of a native chain, after the Python ones.
size_t fold_number_chain(struct stack_table *stacks, const struct unwind_frame *chain, size_t count,
                         uint32_t *numbers);

// The file whose code is at an address; NULL: none is known.
struct image *fold_image_at(struct process *process, uint64_t address, double now_s);

// A record's copy of its thread's stack, with the registers before it.
struct fold_stack_copy {
    const uint64_t *registers;
    size_t stack_len;
    uint64_t until; // an address in the evaluation loop's frame, where it ends; 0: nowhere
};

// Returns the number of frames, innermost first, of FOLD_CHAIN_MAX at most.
size_t fold_unwind(struct fold *fold, struct process *process, const struct fold_stack_copy *copy,
                   struct unwind_frame *chain, double now_s);
