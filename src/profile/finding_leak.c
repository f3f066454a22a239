// SPDX-License-Identifier: Apache-2.0
// Who leaks, how fast, and on whose behalf. docs/leaks.md tells how it is decided.

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "profile/amount.h"
#include "profile/finding_scene.h"

#define LEAKS_MAX    3
#define CALLERS_MAX  3
#define CALLERS_PART 0.5       // of what stacks tell of the line: less is no way to tell of
#define PACED_PART   (2.0 / 3) // of the run, which the velocity is measured over
#define LEAST_MB     0.001     // that is told as held

static int compare_velocities(const void *left, const void *right)
{
    const struct scene_line *a = left;
    const struct scene_line *b = right;
    double first = a->line->leak.velocity_mb_s;
    double second = b->line->leak.velocity_mb_s;
    if (first != second) {
        return first > second ? -1 : 1;
    }
    return a->file != b->file ? (a->file > b->file ? 1 : -1) : a->line->number - b->line->number;
}

// All lines that leak, the fastest first.
static struct scene_line *leaks_of(const struct profile *profile, size_t *count)
{
    struct scene_line *leaks = NULL;
    size_t capacity = 0;
    *count = 0;
    for (size_t i = 0; i < profile->file_count; i++) {
        for (size_t j = 0; j < profile->files[i].line_count; j++) {
            if (profile->files[i].lines[j].leak.likelihood > 0) {
                leaks = mem_grow(leaks, *count, &capacity, sizeof *leaks);
                leaks[(*count)++] = (struct scene_line){&profile->files[i].lines[j], i};
            }
        }
    }
    if (*count > 0) {
        qsort(leaks, *count, sizeof *leaks, compare_velocities);
    }
    return leaks;
}

// Half the width of the 95 % interval. What leaked while the velocity was measured is a part of
// what the line holds, and a part of as many samples: its error shrinks with the root of it.
// Negative: not known.
static double velocity_error_mb_s(const struct profile *profile, const struct profile_line *line)
{
    double held_mb = line->memory.at_end_mb;
    double paced_s = PACED_PART * profile->elapsed_s;
    if (!(held_mb > 0) || !(paced_s > 0)) {
        return -1;
    }
    double leaked_mb = fmin(held_mb, line->leak.velocity_mb_s * paced_s);
    return line->memory.live_error_mb * sqrt(leaked_mb / held_mb) / paced_s;
}

// How many frames of a stack lead to the line, itself included; 0: the stack is another line's.
static size_t depth_of(const struct scene *scene, const struct profile_memory_stack *stack,
                       struct scene_line where)
{
    const struct profile *profile = scene->profile;
    for (size_t i = stack->frame_count; i > 0; i--) {
        if (stack->frames[i - 1] >= profile->frame_count) {
            continue;
        }
        struct scene_line found = scene_of_frame(scene, &profile->frames[stack->frames[i - 1]]);
        if (found.line) {
            return found.line == where.line ? i : 0;
        }
    }
    return 0;
}

// A stack that leads to the line, up to it.
struct way {
    const struct profile_memory_stack *stack;
    size_t depth;
    double allocated_mb; // by all stacks that begin with it
};

static void add_way(struct way *ways, size_t *count, const struct profile_memory_stack *stack,
                    size_t depth)
{
    size_t i = 0;
    while (i < *count && (ways[i].depth != depth || memcmp(ways[i].stack->frames, stack->frames,
                                                           depth * sizeof *stack->frames) != 0)) {
        i++;
    }
    if (i == *count) {
        ways[(*count)++] = (struct way){stack, depth, 0};
    }
    ways[i].allocated_mb += stack->allocated_mb;
}

// The way on which most of the line's memory is allocated; `stack` is NULL if there is no such one.
static struct way way_to(const struct scene *scene, struct scene_line where)
{
    const struct profile *profile = scene->profile;
    struct way *ways = mem_alloc((profile->memory_stack_count + 1) * sizeof *ways);
    struct way most = {0};
    size_t count = 0;
    double sum_mb = 0;
    for (size_t i = 0; i < profile->memory_stack_count; i++) {
        const struct profile_memory_stack *stack = &profile->memory_stacks[i];
        size_t depth = depth_of(scene, stack, where);
        if (depth > 0) {
            add_way(ways, &count, stack, depth);
            sum_mb += stack->allocated_mb;
        }
    }
    for (size_t i = 0; i < count; i++) {
        most = ways[i].allocated_mb > most.allocated_mb ? ways[i] : most;
    }
    free(ways);
    return most.allocated_mb >= CALLERS_PART * sum_mb ? most : (struct way){0};
}

static bool is_of_profiled_file(const struct profile *profile, const struct profile_frame *frame)
{
    for (size_t i = 0; !frame->is_native && frame->file && i < profile->file_count; i++) {
        if (strcmp(profile->files[i].path, frame->file) == 0) {
            return true;
        }
    }
    return false;
}

// The nearest callers in profiled files.
static size_t callers_of(const struct scene *scene, struct scene_line where,
                         const struct profile_frame *callers[CALLERS_MAX])
{
    const struct profile *profile = scene->profile;
    struct way way = way_to(scene, where);
    size_t count = 0;
    for (size_t i = way.stack ? way.depth - 1 : 0; i > 0 && count < CALLERS_MAX; i--) {
        uint32_t frame = way.stack->frames[i - 1];
        if (frame < profile->frame_count && is_of_profiled_file(profile, &profile->frames[frame])) {
            callers[count++] = &profile->frames[frame];
        }
    }
    return count;
}

static void add_callers(struct text *out, const struct profile_frame *const *callers, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const char *slash = strrchr(callers[i]->file, '/');
        text_format(out, "%s%s:%d", i == 0 ? " It is called from " : ", from ",
                    slash ? slash + 1 : callers[i]->file, callers[i]->line);
    }
    text_add(out, count > 0 ? "." : "");
}

static void add_sentence(struct text *out, const struct scene *scene, struct scene_line where,
                         double held_mb)
{
    const struct profile_line *line = where.line;
    scene_add_place(out, scene, where);
    text_add(out, " seems to leak: what it allocates is kept, ");
    if (held_mb >= LEAST_MB) {
        scene_add_size(out, held_mb, line->memory.live_error_mb);
        text_add(out, " at last, ");
    }
    text_add(out, "growing by ");
    scene_add_size(out, line->leak.velocity_mb_s, velocity_error_mb_s(scene->profile, line));
    text_add(out, " a second.");
}

static void add_leak(struct scene *scene, struct scene_line where)
{
    const struct profile_line *line = where.line;
    const struct profile_memory *memory = &line->memory;
    const struct profile_frame *callers[CALLERS_MAX] = {0};
    size_t caller_count = callers_of(scene, where, callers);
    double held_mb = fmax(memory->at_end_mb, memory->peak_mb);
    double max_mb = scene->profile->footprint.max_mb;
    double error_mb_s = velocity_error_mb_s(scene->profile, line);
    struct text text = {0};
    add_sentence(&text, scene, where, held_mb);
    add_callers(&text, callers, caller_count);
    double weight = max_mb > 0 ? 0.5 + 0.5 * held_mb / max_mb : 0.5;
    struct finding *finding = finding_add(scene, "leak", weight, &text);
    finding_evidence(finding, "held at the end", memory->at_end_mb, "MB", memory->live_error_mb);
    finding_evidence(finding, "growth", line->leak.velocity_mb_s, "MB/s", error_mb_s);
    finding_evidence(finding, "likelihood", 100 * line->leak.likelihood, "%", -1);
    finding_place(finding, scene, where);
    for (size_t i = 0; i < caller_count; i++) {
        finding_place_of_frame(finding, callers[i]);
    }
    finding_advice(finding,
                   FINDING_HOW_HELD
                   " A cache that fills up and stays is told from a leak by its growth.",
                   "Look for who keeps a reference: a list or dict that only grows, a cache "
                   "without a bound, a callback that is never removed.");
    text_clear(&text);
}

void finding_leak(struct scene *scene)
{
    size_t count;
    struct scene_line *leaks = leaks_of(scene->profile, &count);
    for (size_t i = 0; i < count && i < LEAKS_MAX && scene->profile->has_memory; i++) {
        add_leak(scene, leaks[i]);
    }
    free(leaks);
}
