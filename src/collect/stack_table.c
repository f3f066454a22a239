// SPDX-License-Identifier: Apache-2.0
#include "collect/stack_table.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "collect/stack_table_data.h"

#define EVICT_PART 8u      // of them go at once: each time costs a look at all
#define FRAME_MAX  100000u // then those of no stack go

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
    timeline_clear(&table->timeline);
    free(table->frames);
    free(table->stacks);
    free(table);
}

static uint32_t add_frame(struct stack_table *table, const struct frame *frame)
{
    uint64_t known = map_get(&table->frame_index, frame->key);
    if (known == 0) {
        table->frames = mem_grow(table->frames, table->frame_count, &table->frame_capacity,
                                 sizeof *table->frames);
        table->frames[table->frame_count++] = *frame;
        known = table->frame_count;
        map_put(&table->frame_index, frame->key, known);
    }
    return (uint32_t)known - 1;
}

uint32_t stack_table_python_frame(struct stack_table *table, uint64_t code_key, const char *file,
                                  const char *name, int line)
{
    uint64_t key = map_key(code_key, (uint64_t)line + 1);
    uint64_t known = map_get(&table->frame_index, key);
    if (known != 0) {
        return (uint32_t)known - 1;
    }
    struct frame frame = {.key = key,
                          .file = names_add(&table->names, file, strlen(file)),
                          .name = names_add(&table->names, name, strlen(name)),
                          .line = line};
    return add_frame(table, &frame);
}

uint32_t stack_table_native_frame(struct stack_table *table, struct image *image, uint64_t function,
                                  uint64_t address, uint64_t ip)
{
    uint64_t where = function ? function : address;
    struct frame frame = {
        .key = map_key(map_key((uint64_t)(uintptr_t)image + 3, where), 0x6e61746976650000u),
        .is_native = true,
        .image = image,
        .function = function,
        .address = address,
        .ip = ip,
    };
    return add_frame(table, &frame);
}

static int compare_weights(const void *a, const void *b)
{
    uint64_t left = *(const uint64_t *)a;
    uint64_t right = *(const uint64_t *)b;
    return left < right ? -1 : left > right;
}

// So heavy is the first stack that stays, if all were in order; `*spared` of those that are as
// heavy stay too.
static uint64_t weight_to_stay(const struct stack_table *table, size_t *spared)
{
    uint64_t *weights = mem_alloc(table->stack_count * sizeof *weights);
    for (size_t i = 0; i < table->stack_count; i++) {
        weights[i] = table->stacks[i].weight;
    }
    qsort(weights, table->stack_count, sizeof *weights, compare_weights);
    size_t first = table->stack_count / EVICT_PART;
    uint64_t limit = weights[first];
    *spared = 0;
    for (size_t i = first; i < table->stack_count && weights[i] == limit; i++) {
        ++*spared;
    }
    free(weights);
    return limit;
}

// The lightest go, of those equally light the oldest.
static void evict(struct stack_table *table)
{
    size_t spared;
    uint64_t limit = weight_to_stay(table, &spared);
    uint32_t *numbers = mem_alloc(table->stack_count * sizeof *numbers);
    size_t equal = 0;
    for (size_t i = 0; i < table->stack_count; i++) {
        equal += table->stacks[i].weight == limit ? 1 : 0;
    }
    size_t kept = 0;
    map_clear(&table->stack_index);
    for (size_t i = 0; i < table->stack_count; i++) {
        struct stack *stack = &table->stacks[i];
        bool is_equal = stack->weight == limit;
        if (stack->weight < limit || (is_equal && equal > spared)) {
            numbers[i] = TIMELINE_GONE;
            free(stack->frames);
        } else {
            numbers[i] = (uint32_t)kept;
            table->stacks[kept++] = *stack;
            map_put(&table->stack_index, table->stacks[kept - 1].key, kept);
        }
        equal -= is_equal ? 1 : 0;
    }
    timeline_renumber(&table->timeline, numbers);
    free(numbers);
    table->evicted_count += table->stack_count - kept;
    table->stack_count = kept;
}

static size_t find_stack(struct stack_table *table, const struct stack_sample *sample)
{
    uint64_t key = map_key(sample->frame_count + 1, sample->leaf + 1);
    for (size_t i = 0; i < sample->frame_count; i++) {
        key = map_key(key, table->frames[sample->frames[i]].key);
    }
    uint64_t known = map_get(&table->stack_index, key);
    if (known != 0) {
        return known - 1;
    }
    if (table->stack_count == STACK_TABLE_MAX) {
        evict(table);
    }
    table->stacks =
        mem_grow(table->stacks, table->stack_count, &table->stack_capacity, sizeof *table->stacks);
    size_t index = table->stack_count++;
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

// Frames of evicted stacks go, with their names. A stack's key is made of its frames' keys, which
// stay as they are.
static void forget_frames(struct stack_table *table)
{
    uint32_t *numbers = mem_alloc(table->frame_count * sizeof *numbers);
    for (size_t i = 0; i < table->stack_count; i++) {
        for (size_t j = 0; j < table->stacks[i].frame_count; j++) {
            numbers[table->stacks[i].frames[j]] = 1;
        }
    }
    struct names names = {0};
    size_t kept = 0;
    map_clear(&table->frame_index);
    for (size_t i = 0; i < table->frame_count; i++) {
        struct frame frame = table->frames[i];
        if (numbers[i] == 0) {
            continue;
        }
        if (!frame.is_native) {
            const char *file = table->names.texts[frame.file];
            const char *name = table->names.texts[frame.name];
            frame.file = names_add(&names, file, strlen(file));
            frame.name = names_add(&names, name, strlen(name));
        }
        numbers[i] = (uint32_t)kept;
        table->frames[kept++] = frame;
        map_put(&table->frame_index, frame.key, kept);
    }
    for (size_t i = 0; i < table->stack_count; i++) {
        for (size_t j = 0; j < table->stacks[i].frame_count; j++) {
            table->stacks[i].frames[j] = numbers[table->stacks[i].frames[j]];
        }
    }
    free(numbers);
    names_clear(&table->names);
    table->names = names;
    table->frame_count = kept;
}

// More frames than that are in use only if stacks share next to nothing; then fewer stacks have
// to do.
static void make_room_for_frames(struct stack_table *table)
{
    forget_frames(table);
    while (table->frame_count > FRAME_MAX / 2 && table->stack_count >= EVICT_PART) {
        evict(table);
        forget_frames(table);
    }
}

static void add_weight(struct stack *stack, uint64_t weight)
{
    bool is_too_heavy = stack->weight > UINT64_MAX - weight;
    stack->weight = is_too_heavy ? UINT64_MAX : stack->weight + weight;
}

void stack_table_add_weight(struct stack_table *table, uint64_t key, uint64_t weight)
{
    uint64_t known = map_get(&table->stack_index, key);
    if (known != 0) {
        add_weight(&table->stacks[known - 1], weight);
    }
}

uint64_t stack_table_add(struct stack_table *table, const struct stack_sample *sample)
{
    size_t index = find_stack(table, sample);
    struct stack *stack = &table->stacks[index];
    uint64_t key = stack->key;
    add_weight(stack, sample->weight);
    stack->python_s += sample->python_s;
    stack->native_s += sample->native_s;
    stack->helper_s += sample->helper_s;
    stack->system_s += sample->system_s;
    if (sample->thread_id != 0) {
        timeline_add(&table->timeline, sample->thread_id, (uint32_t)index, sample->time_s);
    }
    if (table->frame_count >= FRAME_MAX) {
        make_room_for_frames(table);
    }
    return key;
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

void stack_table_watch(struct stack_table *table, const struct watcher *watcher)
{
    table->watcher = watcher;
}
