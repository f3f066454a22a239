// SPDX-License-Identifier: Apache-2.0
// The stacks of a profile, from the table.

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "collect/operator_name.h"
#include "collect/stack_table_data.h"

// Of allocation stacks these are written: a test run has thousands that allocated a few kilobytes
// each, deep ones, and its profile would take 60 MB.
#define MEMORY_STACK_MAX 1000u
#define UNTOLD_SHARE     0.1 // of all memory, that the others may have without a word

static void fill_frames(struct stack_table *table, struct profile *profile,
                        struct symbol_cache *symbols)
{
    for (size_t i = 0; i < table->frame_count; i++) {
        const struct frame *frame = &table->frames[i];
        if (table->watcher) {
            table->watcher->step(table->watcher->context, i, table->frame_count);
        }
        profile->frames = mem_grow(profile->frames, profile->frame_count, &profile->frame_capacity,
                                   sizeof *profile->frames);
        struct profile_frame *out = &profile->frames[profile->frame_count++];
        *out = (struct profile_frame){
            .is_native = frame->is_native, .line = frame->line, .ip = frame->ip};
        if (!frame->is_native) {
            out->name = mem_copy_text(table->names.texts[frame->name]);
            out->file = mem_copy_text(table->names.texts[frame->file]);
        } else if (frame->image) {
            out->name = mem_copy_text(symbol_name(symbols, frame->image, frame->address));
            out->file = mem_copy_text(image_path(frame->image));
        } else {
            out->name = mem_copy_text("");
            out->file = mem_copy_text("");
        }
    }
}

static uint32_t *copy_frames(const struct stack *stack, size_t frame_count, size_t first)
{
    uint32_t *frames = mem_alloc((frame_count + 1) * sizeof *frames);
    for (size_t i = 0; i < frame_count; i++) {
        frames[i] = (uint32_t)(first + stack->frames[i]);
    }
    return frames;
}

static void copy_stack(struct profile_stack *out, const struct stack *stack, size_t frame_count,
                       double native_part)
{
    *out = (struct profile_stack){
        .frames = copy_frames(stack, frame_count, 0),
        .frame_count = frame_count,
        .hits = stack->weight,
        .python_s = stack->python_s + stack->helper_s * (1 - native_part),
        .native_s = stack->native_s + stack->helper_s * native_part,
        .system_s = stack->system_s,
    };
}

// The steps of one call of an operator are told as one.
static bool is_step_of(const struct profile_frame *frame, const struct profile_frame *outer)
{
    if (!frame->is_native || !outer->is_native) {
        return false;
    }
    if (operator_name_is_unnamed(frame->name)) {
        return operator_name_is(outer->name);
    }
    return operator_name_is(frame->name) &&
           (operator_name_is_step(frame->name) || strcmp(frame->name, outer->name) == 0);
}

static void join_steps(const struct profile *profile, struct profile_stack *stack)
{
    size_t kept = 0;
    for (size_t i = 0; i < stack->frame_count; i++) {
        if (kept == 0 || !is_step_of(&profile->frames[stack->frames[i]],
                                     &profile->frames[stack->frames[kept - 1]])) {
            stack->frames[kept++] = stack->frames[i];
        }
    }
    stack->frame_count = kept;
}

static void merge_stack(struct profile_stack *into, const struct profile_stack *more)
{
    into->hits += more->hits;
    into->python_s += more->python_s;
    into->native_s += more->native_s;
    into->system_s += more->system_s;
}

// The same Python stack with different native parts is one entry of "stacks".
static void add_python_stack(struct profile *profile, struct map *index, const struct stack *stack,
                             double native_part)
{
    uint64_t key = map_key(stack->python_count + 1, 7);
    for (size_t i = 0; i < stack->python_count; i++) {
        key = map_key(key, (uint64_t)stack->frames[i] + 1);
    }
    struct profile_stack made;
    copy_stack(&made, stack, stack->python_count, native_part);
    uint64_t known = map_get(index, key);
    if (known != 0) {
        merge_stack(&profile->stacks[known - 1], &made);
        free(made.frames);
        return;
    }
    profile->stacks = mem_grow(profile->stacks, profile->stack_count, &profile->stack_capacity,
                               sizeof *profile->stacks);
    profile->stacks[profile->stack_count++] = made;
    map_put(index, key, profile->stack_count);
}

static void note_evicted(const struct stack_table *table, struct profile *profile,
                         const char *which)
{
    if (table->evicted_count > 0) {
        profile_note(profile, "More than %u distinct stacks: the %llu %s, not out of the lines.",
                     STACK_TABLE_MAX, (unsigned long long)table->evicted_count, which);
    }
}

void stack_table_fill(struct stack_table *table, struct profile *profile,
                      struct symbol_cache *symbols,
                      double (*helper_native)(const void *context, uint32_t leaf),
                      const void *context)
{
    struct map index = {0};
    fill_frames(table, profile, symbols);
    for (size_t i = 0; i < table->stack_count; i++) {
        const struct stack *stack = &table->stacks[i];
        double native_part = helper_native(context, stack->leaf);
        profile->combined = mem_grow(profile->combined, profile->combined_count,
                                     &profile->combined_capacity, sizeof *profile->combined);
        struct profile_stack *combined = &profile->combined[profile->combined_count++];
        copy_stack(combined, stack, stack->frame_count, native_part);
        join_steps(profile, combined);
        if (stack->python_count > 0) {
            add_python_stack(profile, &index, stack, native_part);
        }
    }
    map_clear(&index);
    timeline_fill(&table->timeline, profile);
    note_evicted(table, profile, "rarest were left out of the stack lists");
}

static int compare_allocated(const void *a, const void *b)
{
    double left = ((const struct profile_memory_stack *)a)->allocated_mb;
    double right = ((const struct profile_memory_stack *)b)->allocated_mb;
    return left > right ? -1 : left < right;
}

// Keeps those that allocated most; they are sorted.
static void trim_memory_stacks(struct profile *profile)
{
    double all_mb = 0;
    double left_out_mb = 0;
    size_t count = profile->memory_stack_count;
    for (size_t i = 0; i < count; i++) {
        struct profile_memory_stack *stack = &profile->memory_stacks[i];
        all_mb += stack->allocated_mb;
        if (i >= MEMORY_STACK_MAX) {
            left_out_mb += stack->allocated_mb;
            free(stack->frames);
        }
    }
    if (left_out_mb > UNTOLD_SHARE * all_mb) {
        profile_note(profile,
                     "memory_stacks has the %u stacks that allocated most; the other %zu "
                     "allocated %.0f MB. The lines have all.",
                     MEMORY_STACK_MAX, count - MEMORY_STACK_MAX, left_out_mb);
    }
    profile->memory_stack_count = count < MEMORY_STACK_MAX ? count : MEMORY_STACK_MAX;
}

void stack_table_fill_memory(struct stack_table *table, struct profile *profile,
                             struct symbol_cache *symbols)
{
    size_t first = profile->frame_count;
    fill_frames(table, profile, symbols);
    for (size_t i = 0; i < table->stack_count; i++) {
        const struct stack *stack = &table->stacks[i];
        profile->memory_stacks =
            mem_grow(profile->memory_stacks, profile->memory_stack_count,
                     &profile->memory_stack_capacity, sizeof *profile->memory_stacks);
        profile->memory_stacks[profile->memory_stack_count++] = (struct profile_memory_stack){
            .frames = copy_frames(stack, stack->frame_count, first),
            .frame_count = stack->frame_count,
            .allocated_mb = (double)stack->weight / PROFILE_MB,
        };
    }
    if (profile->memory_stack_count > 0) {
        qsort(profile->memory_stacks, profile->memory_stack_count, sizeof *profile->memory_stacks,
              compare_allocated);
    }
    trim_memory_stacks(profile);
    note_evicted(table, profile, "that allocated least were left out of memory_stacks");
}
