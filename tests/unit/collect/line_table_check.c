// SPDX-License-Identifier: Apache-2.0

// Reads what line_table_dump.py wrote from standard input, decodes every table and compares the
// line of every instruction. The last line says how many there were and how many differ.

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"
#include "collect/line_table.h"

struct dump_header {
    int32_t minor;
    int32_t first_line;
    uint32_t table_len;
    uint32_t line_count; // one for every two bytes of code
};

static long checked;
static long wrong;

static void check_code(const struct dump_header *header, const uint8_t *bytes, const int32_t *lines)
{
    struct line_table table;
    if (!line_table_decode(&table, header->minor, header->first_line, bytes, header->table_len)) {
        printf("first line %d: the table is refused\n", header->first_line);
        wrong++;
    }
    for (uint32_t i = 0; i < header->line_count; i++) {
        int line = line_table_line(&table, (int32_t)i * 2);
        checked++;
        if (line != lines[i] && wrong++ < 10) {
            printf("first line %d, offset %u: %d, not %d\n", header->first_line, i * 2, line,
                   lines[i]);
        }
    }
    line_table_clear(&table);
}

int main(void)
{
    struct dump_header header;
    while (fread(&header, sizeof header, 1, stdin) == 1) {
        uint8_t *bytes = mem_alloc(header.table_len);
        int32_t *lines = mem_alloc(header.line_count * sizeof *lines);
        if (fread(bytes, 1, header.table_len, stdin) != header.table_len ||
            fread(lines, sizeof *lines, header.line_count, stdin) != header.line_count) {
            puts("the dump is cut");
            return EXIT_FAILURE;
        }
        check_code(&header, bytes, lines);
        free(bytes);
        free(lines);
    }
    printf("%ld offsets, %ld wrong\n", checked, wrong);
    return wrong == 0 && checked > 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
