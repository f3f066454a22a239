// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which source line an instruction belongs to. A code object's line table is decoded once into rows
// sorted by offset. The bytes come from another process: nothing about them is trusted, and a table
// that makes no sense leaves the rows understood so far.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct line_row {
    int32_t end_offset; // first byte of code that is no longer this row's
    int32_t line;
};

struct line_table {
    struct line_row *rows;
    size_t count;
    size_t capacity;
    int first_line;
};

// `python_minor` picks the format: lnotab up to 3.9, PEP 626's pairs in 3.10, locations after it.
// Returns false when the table is malformed.
bool line_table_decode(struct line_table *table, int python_minor, int first_line,
                       const uint8_t *bytes, size_t len);

// `offset` is in bytes. A negative one, before the first instruction, is the first line's; an
// instruction without a line (clean-up code of the compiler's) is the nearest line's before it.
int line_table_line(const struct line_table *table, int32_t offset);

void line_table_clear(struct line_table *table);
