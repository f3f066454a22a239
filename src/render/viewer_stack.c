// SPDX-License-Identifier: Apache-2.0
// Frames, stacks and samples of the viewer form.

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "profile/filter.h"
#include "render/viewer_part.h"

#define NODE_MAX        2000000
#define SECOND_DECIMALS 6
#define WEIGHT_DECIMALS 9
#define MB_DECIMALS     4
#define US_PER_S        1e6
#define NO_NODE         UINT32_MAX

static uint32_t child_of(struct viewer *viewer, uint32_t parent, uint32_t frame)
{
    uint64_t key = ((uint64_t)(parent + 1) << 32) | frame; // NO_NODE + 1 is 0
    uint64_t known = map_get(&viewer->nodes, key);
    if (known) {
        return (uint32_t)known - 1;
    }
    if (viewer->node_count == NODE_MAX) {
        return parent;
    }
    size_t capacity = viewer->node_capacity;
    viewer->parents =
        mem_grow(viewer->parents, viewer->node_count, &capacity, sizeof *viewer->parents);
    viewer->node_frames = mem_grow(viewer->node_frames, viewer->node_count, &viewer->node_capacity,
                                   sizeof *viewer->node_frames);
    viewer->parents[viewer->node_count] = parent;
    viewer->node_frames[viewer->node_count] = frame;
    map_put(&viewer->nodes, key, ++viewer->node_count);
    return (uint32_t)viewer->node_count - 1;
}

static uint32_t leaf_of(struct viewer *viewer, const uint32_t *frames, size_t count)
{
    uint32_t node = NO_NODE;
    for (size_t i = 0; i < count; i++) {
        if (frames[i] < viewer->profile->frame_count) {
            node = child_of(viewer, node, frames[i]);
        }
    }
    return node;
}

void viewer_number_stacks(struct viewer *viewer)
{
    const struct profile *profile = viewer->profile;
    viewer->leaves = mem_alloc((profile->combined_count + 1) * sizeof *viewer->leaves);
    viewer->memory_leaves = mem_alloc((profile->memory_stack_count + 1) * sizeof(uint32_t));
    for (size_t i = 0; i < profile->combined_count; i++) {
        const struct profile_stack *stack = &profile->combined[i];
        viewer->leaves[i] = leaf_of(viewer, stack->frames, stack->frame_count);
    }
    for (size_t i = 0; i < profile->memory_stack_count; i++) {
        const struct profile_memory_stack *stack = &profile->memory_stacks[i];
        viewer->memory_leaves[i] = leaf_of(viewer, stack->frames, stack->frame_count);
    }
}

static double frame_file(void *context, size_t row)
{
    struct viewer *viewer = context;
    return viewer_string(viewer, viewer->profile->frames[row].file);
}

static double frame_is_mine(void *context, size_t row)
{
    const struct viewer *viewer = context;
    const struct profile_frame *frame = &viewer->profile->frames[row];
    return !frame->is_native && frame->file && frame->file[0] != '<' &&
           !filter_sounds_like_library(frame->file);
}

static double frame_kind(void *context, size_t row)
{
    return ((const struct viewer *)context)->profile->frames[row].is_native;
}

static double frame_line(void *context, size_t row)
{
    return ((const struct viewer *)context)->profile->frames[row].line;
}

static double frame_name(void *context, size_t row)
{
    struct viewer *viewer = context;
    return viewer_string(viewer, viewer->profile->frames[row].name);
}

void viewer_write_frames(struct viewer *viewer)
{
    size_t count = viewer->profile->frame_count;
    writer_key(viewer->writer, "frames");
    writer_begin_object(viewer->writer);
    viewer_column(viewer, "file", count, 0, frame_file, viewer);
    viewer_column(viewer, "is_mine", count, 0, frame_is_mine, viewer);
    viewer_column(viewer, "kind", count, 0, frame_kind, viewer);
    viewer_column(viewer, "line", count, 0, frame_line, viewer);
    viewer_column(viewer, "name", count, 0, frame_name, viewer);
    writer_end_object(viewer->writer);
}

static double node_parent(void *context, size_t row)
{
    uint32_t parent = ((const struct viewer *)context)->parents[row];
    return parent == NO_NODE ? -1 : (double)parent;
}

static double node_frame(void *context, size_t row)
{
    return ((const struct viewer *)context)->node_frames[row];
}

void viewer_write_stacks(struct viewer *viewer)
{
    writer_key(viewer->writer, "stacks");
    writer_begin_object(viewer->writer);
    viewer_column(viewer, "frame", viewer->node_count, 0, node_frame, viewer);
    viewer_column(viewer, "parent", viewer->node_count, 0, node_parent, viewer);
    writer_end_object(viewer->writer);
}

// A number of each stack that has a node.
static void write_stack_column(struct viewer *viewer, const char *key, int decimals,
                               double (*value)(const struct viewer *viewer, size_t stack))
{
    writer_key(viewer->writer, key);
    writer_begin_list(viewer->writer);
    for (size_t i = 0; i < viewer->profile->combined_count; i++) {
        if (viewer->leaves[i] != NO_NODE) {
            viewer_number(viewer, value(viewer, i), decimals);
        }
    }
    writer_end_list(viewer->writer);
}

static double stack_hits(const struct viewer *viewer, size_t stack)
{
    return (double)viewer->profile->combined[stack].hits;
}

static double stack_native(const struct viewer *viewer, size_t stack)
{
    return viewer->profile->combined[stack].native_s;
}

static double stack_python(const struct viewer *viewer, size_t stack)
{
    return viewer->profile->combined[stack].python_s;
}

static double stack_leaf(const struct viewer *viewer, size_t stack)
{
    return viewer->leaves[stack];
}

static double stack_system(const struct viewer *viewer, size_t stack)
{
    return viewer->profile->combined[stack].system_s;
}

static bool has_times(const struct profile *profile)
{
    for (size_t i = 0; i < profile->combined_count; i++) {
        const struct profile_stack *stack = &profile->combined[i];
        if (stack->python_s + stack->native_s + stack->system_s > 0) {
            return true;
        }
    }
    return false;
}

void viewer_write_stack_times(struct viewer *viewer)
{
    bool has_kinds = has_times(viewer->profile);
    writer_key(viewer->writer, "stack_times");
    writer_begin_object(viewer->writer);
    write_stack_column(viewer, "hits", 0, stack_hits);
    if (has_kinds) {
        write_stack_column(viewer, "native_s", SECOND_DECIMALS, stack_native);
        write_stack_column(viewer, "python_s", SECOND_DECIMALS, stack_python);
    }
    write_stack_column(viewer, "stack", 0, stack_leaf);
    if (has_kinds) {
        write_stack_column(viewer, "system_s", SECOND_DECIMALS, stack_system);
    }
    writer_end_object(viewer->writer);
}

void viewer_write_memory_stacks(struct viewer *viewer)
{
    const struct profile *profile = viewer->profile;
    writer_key(viewer->writer, "memory_stacks");
    writer_begin_object(viewer->writer);
    writer_key(viewer->writer, "allocated_mb");
    writer_begin_list(viewer->writer);
    for (size_t i = 0; i < profile->memory_stack_count; i++) {
        if (viewer->memory_leaves[i] != NO_NODE) {
            writer_real(viewer->writer, profile->memory_stacks[i].allocated_mb, MB_DECIMALS);
        }
    }
    writer_end_list(viewer->writer);
    writer_key(viewer->writer, "stack");
    writer_begin_list(viewer->writer);
    for (size_t i = 0; i < profile->memory_stack_count; i++) {
        if (viewer->memory_leaves[i] != NO_NODE) {
            writer_unsigned(viewer->writer, viewer->memory_leaves[i]);
        }
    }
    writer_end_list(viewer->writer);
    writer_end_object(viewer->writer);
}

// Runs whose stack has a node, each once for every column.
static void write_run_column(struct viewer *viewer, const char *key,
                             double (*value)(const struct viewer *viewer,
                                             const struct profile_run *run))
{
    const struct profile *profile = viewer->profile;
    writer_key(viewer->writer, key);
    writer_begin_list(viewer->writer);
    for (size_t i = 0; i < profile->timeline_count; i++) {
        const struct profile_run *run = &profile->timeline[i];
        if (run->stack < profile->combined_count && viewer->leaves[run->stack] != NO_NODE) {
            viewer_number(viewer, value(viewer, run), 0);
        }
    }
    writer_end_list(viewer->writer);
}

static double run_count(const struct viewer *viewer, const struct profile_run *run)
{
    (void)viewer;
    return run->count;
}

static double run_stack(const struct viewer *viewer, const struct profile_run *run)
{
    return viewer->leaves[run->stack];
}

static double run_thread(const struct viewer *viewer, const struct profile_run *run)
{
    uint64_t known = map_get(&viewer->threads, run->thread_id);
    return known ? (double)(known - 1) : 0;
}

static void write_times(struct viewer *viewer)
{
    const struct profile *profile = viewer->profile;
    double last_us = 0;
    writer_key(viewer->writer, "t_us");
    writer_begin_list(viewer->writer);
    for (size_t i = 0; i < profile->timeline_count; i++) {
        const struct profile_run *run = &profile->timeline[i];
        if (run->stack < profile->combined_count && viewer->leaves[run->stack] != NO_NODE) {
            double us = fmax(last_us, fmin(9e15, round(run->t_s * US_PER_S)));
            viewer_number(viewer, us - last_us, 0);
            last_us = us;
        }
    }
    writer_end_list(viewer->writer);
}

// Tasks that wait are in the timeline as well, in samples of idle time.
static bool is_waiting(const struct profile *profile, const struct profile_stack *stack)
{
    uint32_t leaf = stack->frame_count > 0 ? stack->frames[stack->frame_count - 1] : UINT32_MAX;
    const char *name = leaf < profile->frame_count ? profile->frames[leaf].name : NULL;
    return name && strncmp(name, "[await] ", 8) == 0;
}

// What is thinned out or has no stack is shared by those that are left.
static double weight_s(const struct viewer *viewer)
{
    const struct profile *profile = viewer->profile;
    double count = 0;
    for (size_t i = 0; i < profile->timeline_count; i++) {
        const struct profile_run *run = &profile->timeline[i];
        bool has_node =
            run->stack < profile->combined_count && viewer->leaves[run->stack] != NO_NODE;
        if (has_node && !is_waiting(profile, &profile->combined[run->stack])) {
            count += run->count;
        }
    }
    return count > 0 ? profile_times_cpu_s(&profile->totals) / count : 0;
}

void viewer_write_samples(struct viewer *viewer)
{
    writer_key(viewer->writer, "samples");
    writer_begin_object(viewer->writer);
    write_run_column(viewer, "count", run_count);
    viewer_real(viewer, "first_s", viewer->profile->timeline_start_s, SECOND_DECIMALS);
    write_run_column(viewer, "stack", run_stack);
    write_times(viewer);
    write_run_column(viewer, "thread", run_thread);
    viewer_real(viewer, "weight_s", weight_s(viewer), WEIGHT_DECIMALS);
    writer_end_object(viewer->writer);
}
