// SPDX-License-Identifier: Apache-2.0
#pragma once

// Evaluates the DWARF expressions of call-frame information against a thread's registers and the
// copy of its stack. Every read is checked; whatever is not understood fails.

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wire/record.h"

// A thread's state in one frame. Register numbers are DWARF's.
struct machine {
    uint64_t registers[RECORD_REGISTER_COUNT];
    uint32_t known; // bit per register
    uint64_t cfa;   // what DW_OP_call_frame_cfa stands for
    const uint8_t *stack;
    size_t stack_len;
    uint64_t stack_address; // of the first byte
};

bool machine_read(const struct machine *machine, uint64_t address, uint64_t *word);

// The value an expression computes, such as a frame's address.
bool expression_value(const struct machine *machine, const Dwarf_Op *ops, size_t count,
                      uint64_t *value);

// What is at the place that a location description tells, or the value it computes itself.
bool expression_content(const struct machine *machine, const Dwarf_Op *ops, size_t count,
                        uint64_t *value);
