// SPDX-License-Identifier: Apache-2.0
#include "collect/function_table.h"

#include <dwarf.h>
#include <string.h>

// The layout that every linker in use writes: a version, three encodings, the address of .eh_frame
// relative to where it stands, a count, and pairs of 32-bit numbers relative to the header.
enum {
    HEADER_VERSION = 1,
    FRAMES_AT = 4,
    COUNT_AT = 8,
    ENTRIES_AT = 12,
    ENTRY_SIZE = 8,
    ENCODING_FRAMES = DW_EH_PE_pcrel | DW_EH_PE_sdata4,
    ENCODING_COUNT = DW_EH_PE_udata4,
    ENCODING_ENTRIES = DW_EH_PE_datarel | DW_EH_PE_sdata4,
};

// Of an entry in .eh_frame: length and reference to its common part come first.
enum { FDE_START_AT = 8, FDE_LENGTH_AT = 12, FDE_SIZE_MIN = 16 };

static int32_t read_int32(const uint8_t *bytes)
{
    int32_t value;
    memcpy(&value, bytes, sizeof value);
    return value;
}

static bool is_understood(struct byte_range header)
{
    return header.len >= ENTRIES_AT && header.bytes[0] == HEADER_VERSION &&
           header.bytes[1] == ENCODING_FRAMES && header.bytes[2] == ENCODING_COUNT &&
           header.bytes[3] == ENCODING_ENTRIES;
}

uint64_t function_table_frames_address(struct byte_range header)
{
    if (!is_understood(header)) {
        return 0;
    }
    return header.address + FRAMES_AT + (uint64_t)(int64_t)read_int32(header.bytes + FRAMES_AT);
}

void function_table_init(struct function_table *table, struct byte_range header,
                         struct byte_range frames)
{
    *table = (struct function_table){.header = header, .frames = frames, .entries_at = ENTRIES_AT};
    if (!is_understood(header)) {
        return;
    }
    uint32_t count;
    memcpy(&count, header.bytes + COUNT_AT, sizeof count);
    size_t room = (header.len - ENTRIES_AT) / ENTRY_SIZE;
    table->count = count < room ? count : room;
}

static uint64_t relative(const struct function_table *table, size_t index, size_t field)
{
    const uint8_t *entry = table->header.bytes + table->entries_at + index * ENTRY_SIZE;
    return table->header.address + (uint64_t)(int64_t)read_int32(entry + field);
}

static uint64_t start_of(const struct function_table *table, size_t index)
{
    return relative(table, index, 0);
}

// The index after the last function that starts at or below the address; 0 when there is none.
static size_t upper_bound(const struct function_table *table, uint64_t address)
{
    size_t low = 0;
    size_t high = table->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (start_of(table, middle) <= address) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

// The length from .eh_frame. Where addresses are encoded in another way than the usual one, which
// the start not being the expected one shows, a function reaches to the next.
static uint64_t end_of(const struct function_table *table, size_t index)
{
    uint64_t start = start_of(table, index);
    uint64_t at = relative(table, index, 4) - table->frames.address;
    if (at < table->frames.len && table->frames.len - at >= FDE_SIZE_MIN) {
        const uint8_t *fde = table->frames.bytes + at;
        uint64_t field = table->frames.address + at + FDE_START_AT;
        if (field + (uint64_t)(int64_t)read_int32(fde + FDE_START_AT) == start) {
            return start + (uint32_t)read_int32(fde + FDE_LENGTH_AT);
        }
    }
    return index + 1 < table->count ? start_of(table, index + 1) : UINT64_MAX;
}

bool function_table_find(const struct function_table *table, uint64_t address, uint64_t *start,
                         uint64_t *end)
{
    size_t after = upper_bound(table, address);
    if (after == 0) {
        return false;
    }
    *start = start_of(table, after - 1);
    *end = end_of(table, after - 1);
    return address < *end;
}

bool function_table_has_start(const struct function_table *table, uint64_t address)
{
    size_t after = upper_bound(table, address);
    return after > 0 && start_of(table, after - 1) == address;
}
