// SPDX-License-Identifier: Apache-2.0
// The first byte is Python's minor version, the next the first line; the rest is the table.
#include <stdlib.h>

#include "collect/line_table.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 2) {
        return 0;
    }
    struct line_table table;
    line_table_decode(&table, data[0] % 16, data[1], data + 2, size - 2);
    for (size_t i = 1; i < table.count; i++) {
        if (table.rows[i].end_offset <= table.rows[i - 1].end_offset) {
            abort();
        }
    }
    for (int32_t offset = -2; offset < 600; offset += 2) {
        if (line_table_line(&table, offset) < 0) {
            abort();
        }
    }
    line_table_clear(&table);
    return 0;
}
