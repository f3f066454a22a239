// SPDX-License-Identifier: Apache-2.0
#include "collect/fold_stack.h"

#include <string.h>

#include "profile/filter.h"

#define MAPS_INTERVAL_S 0.1

// A name in angle brackets is anybody's: the program's own code of that name ("<string>" after -c)
// is told from a library's (site executes lines of .pth files under it) by who began the stack.
static bool is_own(const struct fold *fold, struct process *process, const struct code *code,
                   const struct record_frame *outermost)
{
    if (!code->is_ours || code->path[0] != '<' || fold->has_all ||
        filter_is_notebook_cell(code->path)) {
        return code->is_ours;
    }
    const struct code *root = process_code(process, outermost->code_id);
    return root && strcmp(root->path, code->path) == 0;
}

// What the program has decorated is shown wherever it lies.
static bool is_shown(struct fold *fold, struct process *process, const struct code *code,
                     const struct record_frame *outermost)
{
    return fold->focus.count > 0 ? focus_has(&fold->focus, code)
                                 : is_own(fold, process, code, outermost);
}

bool fold_find_place(struct fold *fold, struct process *process, const struct record_frame *frames,
                     size_t count, struct tally_place *place)
{
    for (size_t i = 0; i < count; i++) {
        const struct code *code = process_code(process, frames[i].code_id);
        if (code && is_shown(fold, process, code, &frames[count - 1])) {
            *place = (struct tally_place){
                .code_key = code->key,
                .path = code->path,
                .function = code->name,
                .line = line_table_line(&code->lines, frames[i].offset),
                .first_line = code->first_line,
                .is_qualified = code->is_qualified,
                .is_coroutine = code->is_coroutine,
            };
            return true;
        }
    }
    return false;
}

size_t fold_number_frames(struct stack_table *stacks, struct process *process,
                          const struct record_frame *frames, size_t count, uint32_t *numbers)
{
    size_t known = 0;
    for (size_t i = count; i > 0; i--) {
        const struct code *code = process_code(process, frames[i - 1].code_id);
        if (code && !code->is_shim) {
            int line = line_table_line(&code->lines, frames[i - 1].offset);
            numbers[known++] =
                stack_table_python_frame(stacks, code->key, code->path, code->name, line);
        }
    }
    return known;
}

size_t fold_number_awaiting(struct stack_table *stacks, const struct process *process,
                            uint32_t chain, uint32_t *numbers)
{
    const struct async_chain *chains = process->async.chains;
    if (!chains || chain == 0 || chain >= AWAIT_CHAIN_COUNT) {
        return 0;
    }
    size_t count = chains[chain].frame_count;
    count = count < FOLD_AWAITING_MAX ? count : FOLD_AWAITING_MAX;
    for (size_t i = count; i > 0; i--) {
        const struct async_frame *frame = &chains[chain].frames[i - 1];
        *numbers++ = stack_table_python_frame(stacks, frame->code_key, frame->file, frame->function,
                                              frame->line);
    }
    return count;
}

size_t fold_number_chain(struct stack_table *stacks, const struct unwind_frame *chain, size_t count,
                         uint32_t *numbers)
{
    for (size_t i = count; i > 0; i--) {
        const struct unwind_frame *frame = &chain[i - 1];
        *numbers++ = stack_table_native_frame(stacks, frame->image, frame->function - frame->bias,
                                              unwind_frame_address(frame), frame->ip);
    }
    return count;
}

static void read_maps(struct process *process, double now_s)
{
    if (!process->is_gone && now_s - process->maps_read_s >= MAPS_INTERVAL_S) {
        process->maps_read_s = now_s;
        address_space_read_maps(&process->space, process->pid);
    }
}

struct image *fold_image_at(struct process *process, uint64_t address, double now_s)
{
    const struct address_region *region = address_space_find(&process->space, address);
    if (!region && address != 0) {
        read_maps(process, now_s);
        region = address_space_find(&process->space, address);
    }
    return region ? region->image : NULL;
}

// Code of a file that was mapped since the list was read. Past it the chain is guessed, and may
// well end in a frame that is known.
static bool has_unknown(const struct unwind_frame *chain, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (!chain[i].image) {
            return true;
        }
    }
    return false;
}

size_t fold_unwind(struct fold *fold, struct process *process, const struct fold_stack_copy *copy,
                   struct unwind_frame *chain, double now_s)
{
    struct unwind_input input = {
        .registers = copy->registers,
        .stack = (const uint8_t *)(copy->registers + RECORD_REGISTER_COUNT),
        .stack_len = copy->stack_len,
        .stack_address = copy->registers[7] - RECORD_RED_ZONE, // 7: the stack pointer
        .until = copy->until,
        .space = &process->space,
    };
    size_t count = unwind(&fold->unwinder, &input, chain, FOLD_CHAIN_MAX);
    if (has_unknown(chain, count) && process->maps_read_s + MAPS_INTERVAL_S < now_s) {
        read_maps(process, now_s);
        count = unwind(&fold->unwinder, &input, chain, FOLD_CHAIN_MAX);
    }
    return count;
}
