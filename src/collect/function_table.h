// SPDX-License-Identifier: Apache-2.0
#pragma once

// Where functions start, for files without symbols: the sorted table that .eh_frame_hdr keeps for
// exception handling. Every compiled function of x86-64 is in it; a part that the compiler split
// off (.cold) counts as a function of its own. The bytes are the caller's and outlive the table.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct byte_range {
    const uint8_t *bytes;
    size_t len;
    uint64_t address; // of the first byte, in the file's own addresses
};

struct function_table {
    struct byte_range header; // .eh_frame_hdr
    struct byte_range frames; // .eh_frame
    size_t entries_at;        // in the header
    size_t count;
};

// Where the header says that .eh_frame is; 0 when the header is of an unknown kind.
uint64_t function_table_frames_address(struct byte_range header);

// A table that is not understood has no functions.
void function_table_init(struct function_table *table, struct byte_range header,
                         struct byte_range frames);

// The function that covers `address`; false when there is none.
bool function_table_find(const struct function_table *table, uint64_t address, uint64_t *start,
                         uint64_t *end);

bool function_table_has_start(const struct function_table *table, uint64_t address);
