// SPDX-License-Identifier: Apache-2.0
#include "collect/expression.h"

#include <dwarf.h>
#include <string.h>

#define DEPTH_MAX 16

struct evaluation {
    const struct machine *machine;
    uint64_t items[DEPTH_MAX];
    size_t depth;
    bool is_broken;
};

bool machine_read(const struct machine *machine, uint64_t address, uint64_t *word)
{
    uint64_t at = address - machine->stack_address;
    if (at >= machine->stack_len || machine->stack_len - at < sizeof *word) {
        return false;
    }
    memcpy(word, machine->stack + at, sizeof *word);
    return true;
}

static void push(struct evaluation *evaluation, uint64_t value)
{
    if (evaluation->depth == DEPTH_MAX) {
        evaluation->is_broken = true;
        return;
    }
    evaluation->items[evaluation->depth++] = value;
}

static uint64_t pop(struct evaluation *evaluation)
{
    if (evaluation->depth == 0) {
        evaluation->is_broken = true;
        return 0;
    }
    return evaluation->items[--evaluation->depth];
}

static uint64_t register_value(struct evaluation *evaluation, uint64_t number)
{
    const struct machine *machine = evaluation->machine;
    if (number >= RECORD_REGISTER_COUNT || !(machine->known >> number & 1)) {
        evaluation->is_broken = true;
        return 0;
    }
    return machine->registers[number];
}

static void arrange(struct evaluation *evaluation, uint8_t atom)
{
    uint64_t top = pop(evaluation);
    switch (atom) {
    case DW_OP_drop:
        return;
    case DW_OP_dup:
        push(evaluation, top);
        push(evaluation, top);
        return;
    default: {
        uint64_t second = pop(evaluation);
        if (atom == DW_OP_swap) {
            push(evaluation, top);
            push(evaluation, second);
        } else {
            push(evaluation, second);
            push(evaluation, top);
            push(evaluation, second); // DW_OP_over
        }
    }
    }
}

static void calculate(struct evaluation *evaluation, uint8_t atom)
{
    uint64_t b = pop(evaluation);
    uint64_t a = pop(evaluation);
    switch (atom) {
    case DW_OP_plus:
        return push(evaluation, a + b);
    case DW_OP_minus:
        return push(evaluation, a - b);
    case DW_OP_mul:
        return push(evaluation, a * b);
    case DW_OP_and:
        return push(evaluation, a & b);
    case DW_OP_or:
        return push(evaluation, a | b);
    case DW_OP_shl:
        return push(evaluation, b < 64 ? a << b : 0);
    case DW_OP_shr:
        return push(evaluation, b < 64 ? a >> b : 0);
    case DW_OP_eq:
        return push(evaluation, a == b);
    case DW_OP_ne:
        return push(evaluation, a != b);
    case DW_OP_ge:
        return push(evaluation, (int64_t)a >= (int64_t)b);
    case DW_OP_gt:
        return push(evaluation, (int64_t)a > (int64_t)b);
    case DW_OP_le:
        return push(evaluation, (int64_t)a <= (int64_t)b);
    case DW_OP_lt:
        return push(evaluation, (int64_t)a < (int64_t)b);
    default:
        evaluation->is_broken = true;
    }
}

static void dereference(struct evaluation *evaluation)
{
    uint64_t word = 0;
    if (!machine_read(evaluation->machine, pop(evaluation), &word)) {
        evaluation->is_broken = true;
    }
    push(evaluation, word);
}

static bool is_constant(uint8_t atom)
{
    return atom == DW_OP_addr || (atom >= DW_OP_const1u && atom <= DW_OP_consts);
}

static void execute(struct evaluation *evaluation, const Dwarf_Op *op)
{
    uint8_t atom = op->atom;
    if (atom >= DW_OP_breg0 && atom <= DW_OP_breg31) {
        push(evaluation, register_value(evaluation, atom - DW_OP_breg0) + op->number);
    } else if (atom >= DW_OP_lit0 && atom <= DW_OP_lit31) {
        push(evaluation, atom - DW_OP_lit0);
    } else if (atom == DW_OP_bregx) {
        push(evaluation, register_value(evaluation, op->number) + op->number2);
    } else if (is_constant(atom)) {
        push(evaluation, op->number);
    } else if (atom == DW_OP_plus_uconst) {
        push(evaluation, pop(evaluation) + op->number);
    } else if (atom == DW_OP_call_frame_cfa) {
        push(evaluation, evaluation->machine->cfa);
    } else if (atom == DW_OP_deref) {
        dereference(evaluation);
    } else if (atom >= DW_OP_dup && atom <= DW_OP_swap && atom != DW_OP_pick) {
        arrange(evaluation, atom);
    } else if (atom != DW_OP_nop) {
        calculate(evaluation, atom);
    }
}

bool expression_value(const struct machine *machine, const Dwarf_Op *ops, size_t count,
                      uint64_t *value)
{
    struct evaluation evaluation = {.machine = machine};
    for (size_t i = 0; i < count && !evaluation.is_broken; i++) {
        execute(&evaluation, &ops[i]);
    }
    *value = pop(&evaluation);
    return !evaluation.is_broken;
}

bool expression_content(const struct machine *machine, const Dwarf_Op *ops, size_t count,
                        uint64_t *value)
{
    if (count == 0) {
        return false;
    }
    if (ops[count - 1].atom == DW_OP_stack_value) {
        return expression_value(machine, ops, count - 1, value);
    }
    if (count == 1 &&
        (ops[0].atom == DW_OP_regx || (ops[0].atom >= DW_OP_reg0 && ops[0].atom <= DW_OP_reg31))) {
        bool is_wide = ops[0].atom == DW_OP_regx;
        uint64_t number = is_wide ? ops[0].number : (uint64_t)(ops[0].atom - DW_OP_reg0);
        struct evaluation evaluation = {.machine = machine};
        *value = register_value(&evaluation, number);
        return !evaluation.is_broken;
    }
    uint64_t address;
    return expression_value(machine, ops, count, &address) && machine_read(machine, address, value);
}
