// SPDX-License-Identifier: Apache-2.0
#include "collect/unwind_row.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "wire/record.h"

#define ROW_MAX        131072 // 7 MB
#define CAPACITY_FIRST 4096

enum { REGISTER_RSP = 7, REGISTER_RIP = 16 };

const uint8_t unwind_saved_registers[UNWIND_SAVED_COUNT] = {3, 6, 12, 13, 14, 15};

// A register and an offset, however libdw spells them.
static bool read_cfa(struct unwind_row *row, const Dwarf_Op *ops, size_t count)
{
    if (count == 0 || count > 2) {
        return false;
    }
    uint64_t offset = 0;
    uint64_t number;
    if (ops[0].atom == DW_OP_bregx) {
        number = ops[0].number;
        offset = ops[0].number2;
    } else if (ops[0].atom >= DW_OP_breg0 && ops[0].atom <= DW_OP_breg31) {
        number = ops[0].atom - DW_OP_breg0;
        offset = ops[0].number;
    } else {
        return false;
    }
    if (count == 2 && ops[1].atom != DW_OP_plus_uconst) {
        return false;
    }
    offset += count == 2 ? ops[1].number : 0;
    row->cfa_register = (uint8_t)number;
    row->cfa_offset = (int32_t)offset;
    return number < RECORD_REGISTER_COUNT && (int64_t)offset == row->cfa_offset;
}

struct rule {
    Dwarf_Op memory[3];
    Dwarf_Op *ops;
    size_t count;
};

static bool read_rule(Dwarf_Frame *frame, int number, struct rule *rule)
{
    return dwarf_frame_register(frame, number, rule->memory, &rule->ops, &rule->count) == 0;
}

static bool is_undefined(const struct rule *rule)
{
    return rule->count == 0 && rule->ops == rule->memory;
}

// "At the CFA plus an offset", in bytes.
static bool read_place(const struct rule *rule, int64_t *offset)
{
    if (rule->count == 0 || rule->count > 2 || rule->ops[0].atom != DW_OP_call_frame_cfa ||
        (rule->count == 2 && rule->ops[1].atom != DW_OP_plus_uconst)) {
        return false;
    }
    *offset = rule->count == 2 ? (int64_t)rule->ops[1].number : 0;
    return true;
}

static bool read_saved(struct unwind_row *row, Dwarf_Frame *frame)
{
    for (size_t i = 0; i < UNWIND_SAVED_COUNT; i++) {
        struct rule rule;
        int64_t offset;
        if (!read_rule(frame, unwind_saved_registers[i], &rule)) {
            return false;
        }
        // elfutils 0.188 calls rbx undefined where the file is silent; a called function keeps it.
        if (rule.count == 0) {
            row->saved[i] = UNWIND_SAME;
        } else if (read_place(&rule, &offset) && offset % 8 == 0 && offset < 0 &&
                   offset / 8 > INT16_MIN) {
            row->saved[i] = (int16_t)(offset / 8);
        } else {
            return false;
        }
    }
    return true;
}

// The stack pointer of the caller is the CFA itself, and the return address is just below.
static bool has_usual_return(const struct rule *return_rule, Dwarf_Frame *frame)
{
    struct rule rule;
    int64_t offset;
    if (!read_place(return_rule, &offset) || offset != -8 ||
        !read_rule(frame, REGISTER_RSP, &rule)) {
        return false;
    }
    return rule.count == 2 && rule.ops[0].atom == DW_OP_call_frame_cfa &&
           rule.ops[1].atom == DW_OP_stack_value;
}

// Keeps the frame for later when it is not simple; frees it otherwise.
static void read_frame(struct unwind_row *row, Dwarf_Frame *frame)
{
    Dwarf_Op *ops;
    size_t count;
    struct rule rule;
    int number = dwarf_frame_info(frame, NULL, NULL, &row->is_signal);
    bool is_readable = dwarf_frame_cfa(frame, &ops, &count) == 0 && count > 0;
    if (number != REGISTER_RIP || !is_readable || !read_rule(frame, REGISTER_RIP, &rule)) {
        free(frame);
        return;
    }
    row->is_outermost = is_undefined(&rule);
    bool is_simple = read_cfa(row, ops, count) && read_saved(row, frame) && !row->is_signal &&
                     (row->is_outermost || has_usual_return(&rule, frame));
    row->kind = is_simple ? UNWIND_ROW_SIMPLE : UNWIND_ROW_COMPLEX;
    if (is_simple) {
        free(frame);
    } else {
        row->frame = frame;
    }
}

static bool is_direct_call(struct image *image, uint64_t return_address, const uint8_t *end)
{
    int32_t distance;
    memcpy(&distance, end - 4, sizeof distance);
    if (end[-5] == 0xe8) {
        return image_is_code(image, return_address + (uint64_t)(int64_t)distance);
    }
    return end[-6] == 0xff && end[-5] == 0x15; // call *slot(%rip): an imported function
}

// ff /2 with each length its operand may have.
static bool is_indirect_call(const uint8_t *end)
{
    for (int len = 2; len <= 7; len++) {
        uint8_t operand = end[1 - len];
        if (end[-len] != 0xff || (operand >> 3 & 7) != 2) {
            continue;
        }
        int mode = operand >> 6;
        bool has_index = mode != 3 && (operand & 7) == 4;
        int displacement = mode == 1 ? 1 : mode == 2 ? 4 : 0;
        if (mode == 0 &&
            ((operand & 7) == 5 || (has_index && len > 2 && (end[2 - len] & 7) == 5))) {
            displacement = 4;
        }
        if (len == 2 + has_index + displacement) {
            return true;
        }
    }
    return false;
}

static enum unwind_call read_call(struct image *image, uint64_t return_address)
{
    uint8_t bytes[8];
    const uint8_t *end = bytes + sizeof bytes;
    if (!image_read(image, return_address - sizeof bytes, bytes, sizeof bytes)) {
        return UNWIND_CALL_UNKNOWN;
    }
    if (is_direct_call(image, return_address, end)) {
        return UNWIND_CALL_DIRECT;
    }
    return is_indirect_call(end) ? UNWIND_CALL_INDIRECT : UNWIND_CALL_UNKNOWN;
}

// A stub jumps through a slot that the loader fills, after a landing mark in newer files.
static bool is_import_stub(struct image *image, uint64_t address)
{
    static const uint8_t landing_mark[] = {0xf3, 0x0f, 0x1e, 0xfa};
    uint8_t bytes[7];
    if (!image_read(image, address, bytes, sizeof bytes)) {
        return false;
    }
    const uint8_t *jump = bytes + (memcmp(bytes, landing_mark, 4) == 0 ? 4 : 0);
    jump += *jump == 0xf2;
    return jump[0] == 0xff && jump[1] == 0x25;
}

bool unwind_call_target(struct image *image, uint64_t return_address, uint64_t *target)
{
    uint8_t bytes[5];
    int32_t distance;
    if (!image_read(image, return_address - sizeof bytes, bytes, sizeof bytes) ||
        bytes[0] != 0xe8) {
        return false;
    }
    memcpy(&distance, bytes + 1, sizeof distance);
    *target = return_address + (uint64_t)(int64_t)distance;
    return image_is_code(image, *target) && !is_import_stub(image, *target);
}

static void fill_row(struct unwind_row *row, struct image *image, uint64_t address, bool is_return)
{
    *row = (struct unwind_row){.image = image, .address = address};
    Dwarf_CFI *cfi = image_cfi(image);
    Dwarf_Frame *frame = NULL;
    if (cfi && dwarf_cfi_addrframe(cfi, address, &frame) == 0) {
        read_frame(row, frame);
    }
    uint64_t end;
    if (!function_table_find(image_functions(image), address, &row->function, &end)) {
        row->function = 0;
    }
    row->call = is_return ? read_call(image, address + 1) : UNWIND_CALL_UNKNOWN;
}

static struct unwind_row *find_slot(const struct unwind_rows *rows, const struct image *image,
                                    uint64_t address)
{
    uint64_t hash = (address ^ (uintptr_t)image << 20) * 0x9e3779b97f4a7c15ull;
    size_t slot = (hash ^ hash >> 32) & (rows->capacity - 1);
    while (rows->slots[slot].image &&
           (rows->slots[slot].address != address || rows->slots[slot].image != image)) {
        slot = (slot + 1) & (rows->capacity - 1);
    }
    return &rows->slots[slot];
}

static void expand(struct unwind_rows *rows)
{
    struct unwind_rows old = *rows;
    rows->capacity = old.capacity ? old.capacity * 2 : CAPACITY_FIRST;
    rows->slots = mem_alloc(rows->capacity * sizeof *rows->slots);
    for (size_t i = 0; i < old.capacity; i++) {
        if (old.slots[i].image) {
            *find_slot(rows, old.slots[i].image, old.slots[i].address) = old.slots[i];
        }
    }
    free(old.slots);
}

const struct unwind_row *unwind_rows_get(struct unwind_rows *rows, struct image *image,
                                         uint64_t address, bool is_return)
{
    if (rows->count >= ROW_MAX) {
        unwind_rows_clear(rows);
    }
    if (rows->count * 4 >= rows->capacity * 3) {
        expand(rows);
    }
    struct unwind_row *row = find_slot(rows, image, address);
    if (!row->image) {
        fill_row(row, image, address, is_return);
        rows->count++;
    }
    return row;
}

void unwind_rows_clear(struct unwind_rows *rows)
{
    for (size_t i = 0; i < rows->capacity; i++) {
        free(rows->slots[i].frame);
    }
    free(rows->slots);
    *rows = (struct unwind_rows){0};
}
