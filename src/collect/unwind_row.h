// SPDX-License-Identifier: Apache-2.0
#pragma once

// How to step out of a function at one address: the answer of elfutils' call-frame information,
// kept in a table, since asking anew costs a microsecond. The table is bounded: full, it is
// emptied and starts again. Its images must outlive it.

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collect/image.h"

enum unwind_row_kind {
    UNWIND_ROW_NONE,    // no call-frame information here
    UNWIND_ROW_SIMPLE,  // a register and an offset, saved registers at fixed places
    UNWIND_ROW_COMPLEX, // expressions: ask `frame`
};

// What the instruction before a return address is.
enum unwind_call {
    UNWIND_CALL_UNKNOWN,
    UNWIND_CALL_DIRECT, // to a fixed function, also through the table of imported ones
    UNWIND_CALL_INDIRECT,
};

// The registers that a called function preserves, apart from the stack pointer.
#define UNWIND_SAVED_COUNT 6
extern const uint8_t unwind_saved_registers[UNWIND_SAVED_COUNT];

#define UNWIND_SAME INT16_MAX // instead of a place: the register has kept its value

struct unwind_row {
    const struct image *image; // with `address` the key; NULL marks a free slot
    uint64_t address;
    uint64_t function;  // where the function starts, 0 when unknown
    Dwarf_Frame *frame; // of a complex row
    int32_t cfa_offset;
    int16_t saved[UNWIND_SAVED_COUNT]; // 8-byte words from the CFA, or UNWIND_SAME
    uint8_t kind;                      // enum unwind_row_kind
    uint8_t cfa_register;
    uint8_t call; // enum unwind_call; only for a row of a return address
    bool is_signal;
    bool is_outermost; // nothing called this function
};

struct unwind_rows {
    struct unwind_row *slots;
    size_t count;
    size_t capacity;
};

// `address` is the file's: the instruction's own, or with `is_return` the return address minus one.
// The row is good until the next call.
const struct unwind_row *unwind_rows_get(struct unwind_rows *rows, struct image *image,
                                         uint64_t address, bool is_return);

// Where the direct call before a return address goes to; false when it is no direct call, or goes
// through the table of imported functions to no one knows where.
bool unwind_call_target(struct image *image, uint64_t return_address, uint64_t *target);

void unwind_rows_clear(struct unwind_rows *rows);
