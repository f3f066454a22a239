// SPDX-License-Identifier: Apache-2.0
#include "collect/line_table.h"

#include <stdlib.h>

#include "base/mem.h"

#define NO_LINE_310 (-128) // line delta of a range without a line in 3.10

enum location_code {
    LOCATION_SHORT_LAST = 9,
    LOCATION_ONE_LINE_0 = 10,
    LOCATION_ONE_LINE_2 = 12,
    LOCATION_NO_COLUMNS = 13,
    LOCATION_LONG = 14,
    LOCATION_NONE = 15,
};

struct reader {
    const uint8_t *at;
    const uint8_t *end;
    bool is_broken;
};

static uint8_t next_byte(struct reader *reader)
{
    if (reader->at == reader->end) {
        reader->is_broken = true;
        return 0;
    }
    return *reader->at++;
}

// Six bits a byte, least significant first. More than 32 bits are no number of CPython's.
static uint32_t next_varint(struct reader *reader)
{
    uint64_t value = 0;
    for (int shift = 0; shift <= 30; shift += 6) {
        uint8_t byte = next_byte(reader);
        value |= (uint64_t)(byte & 63) << shift;
        if (!(byte & 64)) {
            return (uint32_t)value;
        }
    }
    reader->is_broken = true;
    return 0;
}

static int64_t next_signed_varint(struct reader *reader)
{
    uint32_t value = next_varint(reader);
    return value & 1 ? -(int64_t)(value >> 1) : (int64_t)(value >> 1);
}

static int32_t clamp(int64_t value)
{
    return value > INT32_MAX ? INT32_MAX : value < 0 ? 0 : (int32_t)value;
}

// Rows of one line that follow each other become one; empty ones are left out.
static void add_row(struct line_table *table, int64_t end, int64_t line)
{
    struct line_row row = {clamp(end), clamp(line)};
    struct line_row *last = table->count ? &table->rows[table->count - 1] : NULL;
    if (row.end_offset <= (last ? last->end_offset : 0)) {
        return;
    }
    if (last && last->line == row.line) {
        last->end_offset = row.end_offset;
        return;
    }
    table->rows = mem_grow(table->rows, table->count, &table->capacity, sizeof row);
    table->rows[table->count++] = row;
}

// 3.8, 3.9: a pair says how far the current line reaches, then what to add to it.
static void decode_lnotab(struct line_table *table, struct reader *reader)
{
    int64_t end = 0;
    int64_t line = table->first_line;
    while (reader->at < reader->end) {
        end += next_byte(reader);
        int8_t delta = (int8_t)next_byte(reader);
        add_row(table, end, line);
        line += delta;
    }
    add_row(table, INT32_MAX, line);
}

// 3.10: a pair says how long the next range is, and first what to add to the line for it.
static void decode_ranges(struct line_table *table, struct reader *reader)
{
    int64_t end = 0;
    int64_t line = table->first_line;
    while (reader->at < reader->end) {
        end += next_byte(reader);
        int8_t delta = (int8_t)next_byte(reader);
        line += delta == NO_LINE_310 ? 0 : delta;
        add_row(table, end, line);
    }
}

static int64_t location_line_delta(struct reader *reader, int code)
{
    if (code <= LOCATION_SHORT_LAST) {
        next_byte(reader);
        return 0;
    }
    if (code <= LOCATION_ONE_LINE_2) {
        next_byte(reader);
        next_byte(reader);
        return code - LOCATION_ONE_LINE_0;
    }
    if (code == LOCATION_NONE) {
        return 0;
    }
    int64_t delta = next_signed_varint(reader);
    for (int i = 0; code == LOCATION_LONG && i < 3; i++) {
        next_varint(reader);
    }
    return delta;
}

// 3.11 and later: entries of variable length, of which only the line is wanted here.
static void decode_locations(struct line_table *table, struct reader *reader)
{
    int64_t end = 0;
    int64_t line = table->first_line;
    while (reader->at < reader->end && !reader->is_broken) {
        uint8_t head = next_byte(reader);
        reader->is_broken |= !(head & 128);
        end += 2 * ((head & 7) + 1);
        line += location_line_delta(reader, head >> 3 & 15);
        if (!reader->is_broken) {
            add_row(table, end, line);
        }
    }
}

bool line_table_decode(struct line_table *table, int python_minor, int first_line,
                       const uint8_t *bytes, size_t len)
{
    *table = (struct line_table){.first_line = first_line};
    struct reader reader = {bytes, len ? bytes + len : bytes, false};
    if (python_minor <= 9) {
        decode_lnotab(table, &reader);
    } else if (python_minor == 10) {
        decode_ranges(table, &reader);
    } else {
        decode_locations(table, &reader);
    }
    return !reader.is_broken;
}

int line_table_line(const struct line_table *table, int32_t offset)
{
    if (offset < 0 || table->count == 0) {
        return table->first_line;
    }
    size_t low = 0;
    size_t high = table->count - 1; // beyond the end the last row answers
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (offset < table->rows[middle].end_offset) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return table->rows[low].line;
}

void line_table_clear(struct line_table *table)
{
    free(table->rows);
    *table = (struct line_table){0};
}
