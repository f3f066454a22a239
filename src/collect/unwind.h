// SPDX-License-Identifier: Apache-2.0
#pragma once

// From a thread's registers and a copy of its stack to its chain of native frames, by the
// call-frame information of the files mapped. Where a function has none, by its frame pointer, or
// by the nearest word that can only be a return address. Nothing in the copy is trusted.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collect/address_space.h"
#include "collect/unwind_row.h"
#include "wire/record.h"

struct unwind_input {
    const uint64_t *registers; // RECORD_REGISTER_COUNT of them
    const uint8_t *stack;      // what is at the stack pointer and above
    size_t stack_len;
    uint64_t stack_address; // of its first byte; 0 stands for the stack pointer
    uint64_t until;         // stop with the frame that holds this address; 0: go on to the end
    struct address_space *space;
};

// A frame's own stack begins at the CFA of the frame before it (at the stack pointer for the
// innermost) and ends at its CFA.
struct unwind_frame {
    uint64_t ip;           // an instruction if exact, else a return address
    uint64_t cfa;          // 0 when it could not be found, which ends the chain
    uint64_t function;     // where the function starts, in memory; 0 when unknown
    uint64_t bias;         // memory minus file address
    struct image *image;   // NULL when no file is known there
    enum unwind_call call; // how this frame called the one before it
    bool is_exact;
    bool is_guessed; // found without call-frame information
};

// Zero-initialised is ready; cleared before the images go.
struct unwinder {
    struct unwind_rows rows;
};

// Returns the number of frames, innermost first: at least 1 when `max` is.
size_t unwind(struct unwinder *unwinder, const struct unwind_input *input,
              struct unwind_frame *frames, size_t max);

// The frame's address in its file that names it: the instruction, or the call.
uint64_t unwind_frame_address(const struct unwind_frame *frame);

void unwinder_clear(struct unwinder *unwinder);
