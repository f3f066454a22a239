// SPDX-License-Identifier: Apache-2.0
#include "collect/unwind.h"

#include <dwarf.h>
#include <string.h>

#include "collect/expression.h"

enum { REGISTER_RBP = 6, REGISTER_RSP = 7, REGISTER_RIP = 16 };

#define ALL_REGISTERS  ((1u << RECORD_REGISTER_COUNT) - 1)
#define SCAN_WORDS_MAX 512 // of a function that says nothing about itself
#define NEAR_MAX       (64 * 1024u)

struct walk {
    struct unwinder *unwinder;
    const struct unwind_input *input;
    struct machine machine;
    bool is_exact; // the instruction pointer is that of an instruction to come, not of a return
};

static uint64_t *reg(struct walk *walk, int number)
{
    return &walk->machine.registers[number];
}

static bool knows(const struct walk *walk, int number)
{
    return walk->machine.known >> number & 1;
}

// Puts the walk into the caller, at a return address.
static void enter_caller(struct walk *walk, uint64_t return_address)
{
    uint32_t kept = 1u << REGISTER_RSP | 1u << REGISTER_RIP;
    for (size_t i = 0; i < UNWIND_SAVED_COUNT; i++) {
        kept |= 1u << unwind_saved_registers[i];
    }
    walk->machine.known &= kept;
    *reg(walk, REGISTER_RSP) = walk->machine.cfa;
    *reg(walk, REGISTER_RIP) = return_address;
    walk->is_exact = false;
}

static void restore(struct walk *walk, int number, int16_t place)
{
    uint64_t address = walk->machine.cfa + (uint64_t)((int64_t)place * 8);
    if (place == UNWIND_SAME || address < *reg(walk, REGISTER_RSP)) {
        return; // below the stack pointer: an epilogue has taken it back already
    }
    if (!machine_read(&walk->machine, address, reg(walk, number))) {
        walk->machine.known &= ~(1u << number);
    }
}

static bool step_simple(struct walk *walk, const struct unwind_row *row)
{
    uint64_t return_address;
    if (!knows(walk, row->cfa_register)) {
        return false;
    }
    walk->machine.cfa = *reg(walk, row->cfa_register) + (uint64_t)(int64_t)row->cfa_offset;
    if (row->is_outermost || walk->machine.cfa <= *reg(walk, REGISTER_RSP) ||
        !machine_read(&walk->machine, walk->machine.cfa - 8, &return_address)) {
        return false;
    }
    for (size_t i = 0; i < UNWIND_SAVED_COUNT; i++) {
        restore(walk, unwind_saved_registers[i], row->saved[i]);
    }
    enter_caller(walk, return_address);
    return true;
}

// Whether a saved register's place lies outside its frame. Then an epilogue has taken the register
// back, and the rule, which compilers leave as it was, no longer holds.
static bool is_taken_back(const struct walk *walk, const Dwarf_Op *ops, size_t count)
{
    uint64_t address;
    return walk->is_exact && ops[count - 1].atom != DW_OP_stack_value &&
           expression_value(&walk->machine, ops, count, &address) &&
           (address < walk->machine.registers[REGISTER_RSP] || address >= walk->machine.cfa);
}

// The caller's value of one register, as the frame's rules tell.
static void restore_by_rule(const struct walk *walk, const struct unwind_row *row, int number,
                            struct machine *caller)
{
    Dwarf_Op memory[3];
    Dwarf_Op *ops;
    size_t count;
    uint64_t value;
    if (dwarf_frame_register(row->frame, number, memory, &ops, &count) != 0) {
        caller->known &= ~(1u << number);
        return;
    }
    if (count == 0 || (!row->is_signal && is_taken_back(walk, ops, count))) {
        return;
    }
    if (expression_content(&walk->machine, ops, count, &value)) {
        caller->registers[number] = value;
        caller->known |= 1u << number;
    } else {
        caller->known &= ~(1u << number);
    }
}

static bool step_complex(struct walk *walk, const struct unwind_row *row)
{
    Dwarf_Op *ops;
    size_t count;
    uint64_t stack_pointer = *reg(walk, REGISTER_RSP);
    if (dwarf_frame_cfa(row->frame, &ops, &count) != 0 ||
        !expression_value(&walk->machine, ops, count, &walk->machine.cfa)) {
        walk->machine.cfa = 0;
        return false;
    }
    struct machine caller = walk->machine;
    for (int number = 0; number < RECORD_REGISTER_COUNT; number++) {
        restore_by_rule(walk, row, number, &caller);
    }
    bool is_signal = row->is_signal;
    if (row->is_outermost || !(caller.known >> REGISTER_RIP & 1) ||
        !(caller.known >> REGISTER_RSP & 1) || caller.registers[REGISTER_RSP] <= stack_pointer) {
        return false;
    }
    walk->machine = caller;
    walk->machine.cfa = caller.registers[REGISTER_RSP];
    if (is_signal) {
        walk->is_exact = true;
    } else {
        enter_caller(walk, caller.registers[REGISTER_RIP]);
    }
    return true;
}

// A call to another file, or to some far part of this one, was not what led here: the word is left
// over from a call before.
static bool may_lead_here(struct walk *walk, const struct address_region *region, uint64_t word)
{
    uint64_t target;
    if (!unwind_call_target(region->image, word - region->bias, &target)) {
        return true;
    }
    uint64_t distance = *reg(walk, REGISTER_RIP) - (target + region->bias);
    return distance + NEAR_MAX < 2 * NEAR_MAX;
}

// Whether a word of the stack is where a call in a known file returns to.
static bool is_return_address(struct walk *walk, uint64_t word)
{
    const struct address_region *region =
        word ? address_space_find(walk->input->space, word - 1) : NULL;
    if (!region || !image_is_code(region->image, word - 1 - region->bias)) {
        return false;
    }
    const struct unwind_row *row =
        unwind_rows_get(&walk->unwinder->rows, region->image, word - 1 - region->bias, true);
    return row->call != UNWIND_CALL_UNKNOWN && may_lead_here(walk, region, word);
}

static bool step_frame_pointer(struct walk *walk)
{
    uint64_t frame_pointer = *reg(walk, REGISTER_RBP);
    uint64_t saved;
    uint64_t return_address;
    if (!knows(walk, REGISTER_RBP) || frame_pointer < *reg(walk, REGISTER_RSP) ||
        !machine_read(&walk->machine, frame_pointer, &saved) ||
        !machine_read(&walk->machine, frame_pointer + 8, &return_address) ||
        !is_return_address(walk, return_address)) {
        return false;
    }
    walk->machine.cfa = frame_pointer + 16;
    *reg(walk, REGISTER_RBP) = saved;
    enter_caller(walk, return_address);
    return true;
}

// A function in assembly, or compiled at run time: the nearest return address is its caller's.
static bool step_scan(struct walk *walk, size_t words)
{
    uint64_t address = *reg(walk, REGISTER_RSP);
    for (size_t i = 0; i < words; i++, address += 8) {
        uint64_t word;
        if (!machine_read(&walk->machine, address, &word)) {
            return false;
        }
        if (is_return_address(walk, word)) {
            walk->machine.cfa = address + 8;
            enter_caller(walk, word);
            return true;
        }
    }
    return false;
}

static bool step_blind(struct walk *walk)
{
    return (walk->is_exact && step_scan(walk, 1)) || step_frame_pointer(walk) ||
           step_scan(walk, SCAN_WORDS_MAX);
}

// Some assembly keeps what leads to its frame below the stack pointer, which is not copied; it is
// left as a function without information is.
static bool step(struct walk *walk, const struct unwind_row *row, struct unwind_frame *frame)
{
    walk->machine.cfa = 0;
    if (row && row->kind == UNWIND_ROW_SIMPLE && step_simple(walk, row)) {
        return true;
    }
    if (row && row->kind == UNWIND_ROW_COMPLEX && step_complex(walk, row)) {
        return true;
    }
    if (walk->machine.cfa != 0 || (row && row->is_outermost)) {
        return false;
    }
    frame->is_guessed = true;
    return step_blind(walk);
}

static const struct unwind_row *locate(struct walk *walk, struct unwind_frame *frame)
{
    frame->ip = *reg(walk, REGISTER_RIP);
    frame->is_exact = walk->is_exact;
    uint64_t address = frame->ip - !frame->is_exact;
    const struct address_region *region = address_space_find(walk->input->space, address);
    if (!region) {
        return NULL;
    }
    frame->image = region->image;
    frame->bias = region->bias;
    const struct unwind_row *row = unwind_rows_get(&walk->unwinder->rows, region->image,
                                                   address - region->bias, !frame->is_exact);
    frame->function = row->function ? row->function + region->bias : 0;
    frame->call = row->call;
    return row;
}

size_t unwind(struct unwinder *unwinder, const struct unwind_input *input,
              struct unwind_frame *frames, size_t max)
{
    struct walk walk = {.unwinder = unwinder, .input = input, .is_exact = true};
    memcpy(walk.machine.registers, input->registers, sizeof walk.machine.registers);
    walk.machine.known = ALL_REGISTERS;
    walk.machine.stack = input->stack;
    walk.machine.stack_address =
        input->stack_address ? input->stack_address : input->registers[REGISTER_RSP];
    uint64_t room = UINT64_MAX - walk.machine.stack_address; // no frame may wrap around
    walk.machine.stack_len = input->stack_len < room ? input->stack_len : (size_t)room;
    size_t count = 0;
    while (count < max) {
        struct unwind_frame *frame = &frames[count++];
        *frame = (struct unwind_frame){0};
        const struct unwind_row *row = locate(&walk, frame);
        bool goes_on = step(&walk, row, frame);
        frame->cfa = walk.machine.cfa;
        if (!goes_on || (input->until != 0 && frame->cfa > input->until) ||
            *reg(&walk, REGISTER_RIP) == 0) {
            break;
        }
    }
    return count;
}

uint64_t unwind_frame_address(const struct unwind_frame *frame)
{
    return frame->ip - !frame->is_exact - frame->bias;
}

void unwinder_clear(struct unwinder *unwinder)
{
    unwind_rows_clear(&unwinder->rows);
}
