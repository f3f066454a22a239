// SPDX-License-Identifier: Apache-2.0
#include "collect/stack_table.h"

#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/mem.h"

#define STACK_MAX 10000u
#define RUN_MAX   100000u

struct frame {
    bool is_native;
    uint32_t file; // index of names
    uint32_t name;
    int line;
    struct image *image;
    uint64_t function; // in the image's file; 0: unknown
    uint64_t address;
    uint64_t ip;
};

struct stack {
    uint64_t key;
    uint32_t *frames;
    size_t frame_count;
    size_t python_count;
    uint32_t leaf;
    uint64_t hits;
    double python_s;
    double native_s;
    double helper_s;
    double system_s;
};

struct run {
    double time_s;
    uint32_t stack;
    uint32_t count;
    uint64_t thread_id;
};

struct stack_table {
    struct names names;
    struct map frame_index;
    struct frame *frames;
    size_t frame_count;
    size_t frame_capacity;
    struct map stack_index;
    struct stack *stacks;
    size_t stack_count;
    size_t stack_capacity;
    uint64_t evicted_count;
    struct map last_runs; // thread to index + 1 of its last run
    struct run *runs;
    size_t run_count;
    size_t run_capacity;
};

struct stack_table *stack_table_new(void)
{
    return mem_alloc(sizeof(struct stack_table));
}

void stack_table_free(struct stack_table *table)
{
    for (size_t i = 0; i < table->stack_count; i++) {
        free(table->stacks[i].frames);
    }
    names_clear(&table->names);
    map_clear(&table->frame_index);
    map_clear(&table->stack_index);
    map_clear(&table->last_runs);
    free(table->frames);
    free(table->stacks);
    free(table->runs);
    free(table);
}

static uint32_t add_frame(struct stack_table *table, uint64_t key, const struct frame *frame)
{
    uint64_t known = map_get(&table->frame_index, key);
    if (known == 0) {
        table->frames = mem_grow(table->frames, table->frame_count, &table->frame_capacity,
                                 sizeof *table->frames);
        table->frames[table->frame_count++] = *frame;
        known = table->frame_count;
        map_put(&table->frame_index, key, known);
    }
    return (uint32_t)known - 1;
}

uint32_t stack_table_python_frame(struct stack_table *table, const char *file, const char *name,
                                  int line)
{
    struct frame frame = {.file = names_add(&table->names, file, strlen(file)),
                          .name = names_add(&table->names, name, strlen(name)),
                          .line = line};
    uint64_t key = map_key(map_key(frame.file + 1, frame.name + 1), (uint64_t)line + 1);
    return add_frame(table, key, &frame);
}

uint32_t stack_table_native_frame(struct stack_table *table, struct image *image, uint64_t function,
                                  uint64_t address, uint64_t ip)
{
    struct frame frame = {
        .is_native = true, .image = image, .function = function, .address = address, .ip = ip};
    uint64_t where = function ? function : address;
    uint64_t key = map_key(map_key((uint64_t)(uintptr_t)image + 3, where), 0x6e61746976650000u);
    return add_frame(table, key, &frame);
}

static size_t rarest(const struct stack_table *table)
{
    size_t best = 0;
    for (size_t i = 1; i < table->stack_count; i++) {
        if (table->stacks[i].hits < table->stacks[best].hits) {
            best = i;
        }
    }
    return best;
}

static size_t place_for(struct stack_table *table)
{
    if (table->stack_count < STACK_MAX) {
        table->stacks = mem_grow(table->stacks, table->stack_count, &table->stack_capacity,
                                 sizeof *table->stacks);
        return table->stack_count++;
    }
    size_t index = rarest(table);
    table->evicted_count++;
    map_put(&table->stack_index, table->stacks[index].key, STACK_MAX + 1); // found no more
    free(table->stacks[index].frames);
    return index;
}

static size_t find_stack(struct stack_table *table, const struct stack_sample *sample)
{
    uint64_t key = map_key(sample->frame_count + 1, sample->leaf + 1);
    for (size_t i = 0; i < sample->frame_count; i++) {
        key = map_key(key, (uint64_t)sample->frames[i] + 1);
    }
    uint64_t known = map_get(&table->stack_index, key);
    if (known != 0 && known <= STACK_MAX) {
        return known - 1;
    }
    size_t index = place_for(table);
    size_t bytes = sample->frame_count * sizeof *sample->frames;
    table->stacks[index] = (struct stack){.key = key,
                                          .frames = mem_alloc(bytes),
                                          .frame_count = sample->frame_count,
                                          .python_count = sample->python_count,
                                          .leaf = sample->leaf};
    if (bytes > 0) {
        memcpy(table->stacks[index].frames, sample->frames, bytes);
    }
    map_put(&table->stack_index, key, index + 1);
    return index;
}

// Every two neighbours of a thread become one: the shape over time stays.
static void thin_runs(struct stack_table *table)
{
    struct map open = {0};
    size_t kept = 0;
    for (size_t i = 0; i < table->run_count; i++) {
        struct run run = table->runs[i];
        uint64_t first = map_get(&open, run.thread_id);
        if (first != 0 && first != UINT64_MAX) {
            table->runs[first - 1].count += run.count;
            map_put(&open, run.thread_id, UINT64_MAX);
            continue;
        }
        table->runs[kept++] = run;
        map_put(&open, run.thread_id, kept);
    }
    table->run_count = kept;
    map_clear(&open);
    map_clear(&table->last_runs);
}

static void add_run(struct stack_table *table, size_t stack, const struct stack_sample *sample)
{
    uint64_t last = map_get(&table->last_runs, sample->thread_id);
    if (last != 0 && table->runs[last - 1].stack == stack) {
        table->runs[last - 1].count++;
        return;
    }
    if (table->run_count == RUN_MAX) {
        thin_runs(table);
    }
    table->runs =
        mem_grow(table->runs, table->run_count, &table->run_capacity, sizeof *table->runs);
    table->runs[table->run_count++] =
        (struct run){sample->time_s, (uint32_t)stack, 1, sample->thread_id};
    map_put(&table->last_runs, sample->thread_id, table->run_count);
}

void stack_table_add(struct stack_table *table, const struct stack_sample *sample)
{
    size_t index = find_stack(table, sample);
    struct stack *stack = &table->stacks[index];
    stack->hits++;
    stack->python_s += sample->python_s;
    stack->native_s += sample->native_s;
    stack->helper_s += sample->helper_s;
    stack->system_s += sample->system_s;
    add_run(table, index, sample);
}

void stack_table_learn(const struct stack_table *table, struct symbol_cache *symbols,
                       struct image *interpreter, const struct entry_points *points)
{
    for (size_t i = 0; i < table->frame_count; i++) {
        const struct frame *frame = &table->frames[i];
        const char *name = frame->is_native && frame->image == interpreter
                               ? entry_points_name(points, frame->function)
                               : NULL;
        if (name) {
            symbol_learn(symbols, interpreter, frame->function, name);
        }
    }
}

static void fill_frames(struct stack_table *table, struct profile *profile,
                        struct symbol_cache *symbols)
{
    for (size_t i = 0; i < table->frame_count; i++) {
        const struct frame *frame = &table->frames[i];
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

static void copy_stack(struct profile_stack *out, const struct stack *stack, size_t frame_count,
                       double native_part)
{
    *out = (struct profile_stack){
        .frames = mem_alloc(frame_count * sizeof *out->frames),
        .frame_count = frame_count,
        .hits = stack->hits,
        .python_s = stack->python_s + stack->helper_s * (1 - native_part),
        .native_s = stack->native_s + stack->helper_s * native_part,
        .system_s = stack->system_s,
    };
    if (frame_count > 0) {
        memcpy(out->frames, stack->frames, frame_count * sizeof *out->frames);
    }
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

static void fill_timeline(struct stack_table *table, struct profile *profile)
{
    double first_s = table->run_count > 0 ? table->runs[0].time_s : 0;
    for (size_t i = 0; i < table->run_count; i++) {
        first_s = table->runs[i].time_s < first_s ? table->runs[i].time_s : first_s;
    }
    for (size_t i = 0; i < table->run_count; i++) {
        const struct run *run = &table->runs[i];
        profile->timeline = mem_grow(profile->timeline, profile->timeline_count,
                                     &profile->timeline_capacity, sizeof *profile->timeline);
        profile->timeline[profile->timeline_count++] =
            (struct profile_run){run->time_s - first_s, run->stack, run->count, run->thread_id};
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
        copy_stack(&profile->combined[profile->combined_count++], stack, stack->frame_count,
                   native_part);
        if (stack->python_count > 0) {
            add_python_stack(profile, &index, stack, native_part);
        }
    }
    map_clear(&index);
    fill_timeline(table, profile);
    if (table->evicted_count > 0) {
        profile_note(profile,
                     "More than %u distinct stacks: the %llu rarest were left out of the stack "
                     "lists, not out of the lines.",
                     STACK_MAX, (unsigned long long)table->evicted_count);
    }
}
