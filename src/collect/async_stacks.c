// SPDX-License-Identifier: Apache-2.0
#include "collect/async_stacks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"

#define KEPT_MAX   10000u // the same as of other stacks
#define FILLED_MAX 1000u
#define MOMENT_MAX 100000u

static uint64_t key_of(const struct async_chain *chain)
{
    uint64_t key = chain->frame_count + 1;
    for (uint32_t i = 0; i < chain->frame_count; i++) {
        key = map_key(map_key(key, chain->frames[i].code_key), (uint64_t)chain->frames[i].line);
    }
    return key;
}

static struct async_frame *copy_frames(const struct async_chain *chain)
{
    struct async_frame *frames = mem_alloc((chain->frame_count + 1) * sizeof *frames);
    for (uint32_t i = 0; i < chain->frame_count; i++) {
        frames[i] = chain->frames[i];
        frames[i].file = mem_copy_text(frames[i].file);
        frames[i].function = mem_copy_text(frames[i].function);
    }
    return frames;
}

uint32_t async_stacks_add(struct async_stacks *stacks, const struct async_chain *chain,
                          double await_s)
{
    uint64_t key = key_of(chain);
    uint64_t known = map_get(&stacks->index, key);
    if (known == 0) {
        if (stacks->count == KEPT_MAX || chain->frame_count == 0) {
            return 0;
        }
        stacks->list =
            mem_grow(stacks->list, stacks->count, &stacks->capacity, sizeof *stacks->list);
        stacks->list[stacks->count++] = (struct async_stack){
            .frames = copy_frames(chain),
            .frame_count = chain->frame_count,
            .task = chain->name ? mem_copy_text(chain->name) : NULL,
        };
        known = stacks->count;
        map_put(&stacks->index, key, known);
    }
    stacks->list[known - 1].await_s += await_s;
    return (uint32_t)known;
}

void async_stacks_add_moment(struct async_stacks *stacks, const struct async_moment *moment)
{
    if (stacks->moment_count < MOMENT_MAX) {
        stacks->moments = mem_grow(stacks->moments, stacks->moment_count, &stacks->moment_capacity,
                                   sizeof *stacks->moments);
        stacks->moments[stacks->moment_count++] = *moment;
    }
}

static uint32_t add_frame(struct profile *profile, const struct async_frame *frame,
                          const char *name)
{
    profile->frames = mem_grow(profile->frames, profile->frame_count, &profile->frame_capacity,
                               sizeof *profile->frames);
    profile->frames[profile->frame_count++] = (struct profile_frame){
        .name = mem_copy_text(name), .file = mem_copy_text(frame->file), .line = frame->line};
    return (uint32_t)profile->frame_count - 1;
}

// "[await] fetch (Task-7)"
static void add_stack(struct profile *profile, const struct async_stack *stack, uint64_t hits)
{
    uint32_t *frames = mem_alloc((stack->frame_count + 1) * sizeof *frames);
    size_t count = 0;
    for (uint32_t i = stack->frame_count; i > 1; i--) {
        const struct async_frame *frame = &stack->frames[i - 1];
        frames[count++] = add_frame(profile, frame, frame->function);
    }
    struct text leaf = {0};
    text_format(&leaf, "[await] %s", stack->frames[0].function);
    if (stack->task) {
        text_format(&leaf, " (%s)", stack->task);
    }
    frames[count++] = add_frame(profile, &stack->frames[0], leaf.data);
    text_clear(&leaf);
    profile->combined = mem_grow(profile->combined, profile->combined_count,
                                 &profile->combined_capacity, sizeof *profile->combined);
    profile->combined[profile->combined_count++] =
        (struct profile_stack){.frames = frames, .frame_count = count, .hits = hits};
}

static int compare(const void *a, const void *b)
{
    double left = (*(struct async_stack *const *)a)->await_s;
    double right = (*(struct async_stack *const *)b)->await_s;
    return left > right ? -1 : left < right;
}

static int compare_runs(const void *a, const void *b)
{
    double left = ((const struct profile_run *)a)->t_s;
    double right = ((const struct profile_run *)b)->t_s;
    return left < right ? -1 : left > right;
}

// A stack's hits are spread over time as its waiting was.
static void fill_timeline(struct async_stacks *stacks, struct profile *profile)
{
    for (size_t i = 0; i < stacks->moment_count; i++) {
        const struct async_moment *moment = &stacks->moments[i];
        struct async_stack *stack = &stacks->list[moment->stack];
        stack->shown_s += moment->waited_s;
        double part = fmin(1, stack->shown_s / stack->await_s);
        uint64_t shown = (uint64_t)llround(part * (double)stack->hits);
        if (stack->place == 0 || shown <= stack->shown) {
            continue;
        }
        profile->timeline = mem_grow(profile->timeline, profile->timeline_count,
                                     &profile->timeline_capacity, sizeof *profile->timeline);
        profile->timeline[profile->timeline_count++] = (struct profile_run){
            .t_s = fmax(0, moment->time_s - profile->timeline_start_s),
            .stack = stack->place - 1,
            .count = (uint32_t)(shown - stack->shown),
        };
        stack->shown = shown;
    }
}

static void forget_filling(struct async_stacks *stacks)
{
    for (size_t i = 0; i < stacks->count; i++) {
        struct async_stack *stack = &stacks->list[i];
        stack->place = 0;
        stack->hits = stack->shown = 0;
        stack->shown_s = 0;
    }
}

static void fill_stacks(struct async_stack **all, size_t count, struct profile *profile,
                        double period_s)
{
    double sum_s = 0;
    for (size_t i = 0; i < count; i++) {
        sum_s += all[i]->await_s;
    }
    qsort(all, count, sizeof *all, compare);
    for (size_t i = 0; i < count && i < FILLED_MAX && sum_s > 0; i++) {
        double idle_s = profile->totals.idle_s * all[i]->await_s / sum_s;
        all[i]->hits = (uint64_t)llround(idle_s / period_s);
        if (all[i]->hits > 0) {
            add_stack(profile, all[i], all[i]->hits);
            all[i]->place = (uint32_t)profile->combined_count;
        }
    }
}

void async_stacks_fill(struct async_stacks *stacks, struct async_stacks *more,
                       struct profile *profile, double period_s)
{
    size_t count = stacks->count + more->count;
    struct async_stack **all = mem_alloc((count + 1) * sizeof *all);
    forget_filling(stacks);
    for (size_t i = 0; i < count; i++) {
        all[i] = i < stacks->count ? &stacks->list[i] : &more->list[i - stacks->count];
    }
    fill_stacks(all, count, profile, period_s);
    free(all);
    fill_timeline(stacks, profile);
    fill_timeline(more, profile);
    if (profile->timeline_count > 0) {
        qsort(profile->timeline, profile->timeline_count, sizeof *profile->timeline, compare_runs);
    }
}

void async_stacks_clear(struct async_stacks *stacks)
{
    for (size_t i = 0; i < stacks->count; i++) {
        for (uint32_t j = 0; j < stacks->list[i].frame_count; j++) {
            free(stacks->list[i].frames[j].file);
            free(stacks->list[i].frames[j].function);
        }
        free(stacks->list[i].frames);
        free(stacks->list[i].task);
    }
    free(stacks->list);
    free(stacks->moments);
    map_clear(&stacks->index);
    *stacks = (struct async_stacks){0};
}
