// SPDX-License-Identifier: Apache-2.0
#include "profile/stack_list.h"

#include <stdlib.h>

#include "base/mem.h"

#define TIMELINE_MAX      100000
#define FRACTION_DECIMALS 9
#define TIME_DECIMALS     6
#define MB_DECIMALS       6

static const struct profile_frame unknown_frame = {.name = (char *)"", .file = (char *)""};

static const struct profile_frame *frame_at(const struct profile *profile, uint32_t index)
{
    return index < profile->frame_count ? &profile->frames[index] : &unknown_frame;
}

static const char *or_empty(const char *text)
{
    return text ? text : "";
}

static void write_fraction(struct writer *writer, const char *key, double seconds, double total_s)
{
    writer_key(writer, key);
    writer_real(writer, total_s > 0 ? seconds / total_s : seconds, FRACTION_DECIMALS);
}

static void write_frame_texts(struct writer *writer, const struct profile *profile,
                              const struct profile_stack *stack)
{
    struct text text = {0};
    writer_begin_list(writer);
    for (size_t i = 0; i < stack->frame_count; i++) {
        const struct profile_frame *frame = frame_at(profile, stack->frames[i]);
        text.len = 0;
        text_format(&text, "%s %s:%d;", or_empty(frame->file), or_empty(frame->name), frame->line);
        writer_text_bytes(writer, text.data, text.len);
    }
    writer_end_list(writer);
    text_clear(&text);
}

void stack_list_write(struct writer *writer, const struct profile *profile)
{
    double total_s = profile_total_s(profile);
    writer_key(writer, "stacks");
    writer_begin_list(writer);
    for (size_t i = 0; i < profile->stack_count; i++) {
        const struct profile_stack *stack = &profile->stacks[i];
        double cpu_s = stack->python_s + stack->native_s + stack->system_s;
        writer_begin_list(writer);
        write_frame_texts(writer, profile, stack);
        writer_begin_object(writer);
        write_fraction(writer, "c_time", stack->native_s, total_s);
        writer_key(writer, "count");
        writer_unsigned(writer, stack->hits);
        write_fraction(writer, "cpu_samples", cpu_s, total_s);
        write_fraction(writer, "python_time", stack->python_s, total_s);
        writer_end_object(writer);
        writer_end_list(writer);
        writer_end_part(writer);
    }
    writer_end_list(writer);
}

static void write_address(struct writer *writer, const char *key, bool has_one, uint64_t address)
{
    writer_key(writer, key);
    if (has_one) {
        writer_unsigned(writer, address);
    } else {
        writer_null(writer);
    }
}

static void write_frame(struct writer *writer, const struct profile_frame *frame)
{
    writer_begin_object(writer);
    writer_key(writer, "display_name");
    writer_text(writer, or_empty(frame->name));
    writer_key(writer, "filename_or_module");
    writer_text(writer, or_empty(frame->file));
    write_address(writer, "ip", frame->is_native, frame->ip);
    writer_key(writer, "kind");
    writer_text(writer, frame->is_native ? "native" : "py");
    write_address(writer, "line", frame->line > 0, (uint64_t)frame->line);
    write_address(writer, "offset", frame->is_native, frame->offset);
    writer_end_object(writer);
}

static void write_run(struct writer *writer, const struct profile_run *run)
{
    writer_begin_object(writer);
    writer->is_on_one_line = true;
    writer_key(writer, "count");
    writer_unsigned(writer, run->count > 0 ? run->count : 1);
    writer_key(writer, "stack_index");
    writer_unsigned(writer, run->stack);
    writer_key(writer, "t_sec");
    writer_real(writer, run->t_s > 0 ? run->t_s : 0, TIME_DECIMALS);
    writer_key(writer, "thread_id");
    writer_unsigned(writer, run->thread_id);
    writer_end_object(writer);
    writer->is_on_one_line = false;
}

// The three kinds of each stack's time, for readers that know of it.
static void write_combined_times(struct writer *writer, const struct profile *profile)
{
    writer_key(writer, "combined_stacks_s");
    writer_begin_list(writer);
    for (size_t i = 0; i < profile->combined_count; i++) {
        const struct profile_stack *stack = &profile->combined[i];
        writer_begin_list(writer);
        writer_real(writer, stack->python_s, TIME_DECIMALS);
        writer_real(writer, stack->native_s, TIME_DECIMALS);
        writer_real(writer, stack->system_s, TIME_DECIMALS);
        writer_end_list(writer);
    }
    writer_end_list(writer);
}

static void write_timeline(struct writer *writer, const struct profile *profile)
{
    size_t step = (profile->timeline_count + TIMELINE_MAX - 1) / TIMELINE_MAX;
    writer_key(writer, "combined_stacks_timeline");
    writer_begin_list(writer);
    for (size_t i = 0; i < profile->timeline_count; i += step) {
        if (profile->timeline[i].stack < profile->combined_count) {
            write_run(writer, &profile->timeline[i]);
        }
    }
    writer_end_list(writer);
}

// A frame is in many stacks: its JSON is made once, a line each.
struct frame_lines {
    struct writer writer;
    size_t *ends; // of each frame's line; the last is that of the unknown frame
    size_t count;
};

static void frame_lines_init(struct frame_lines *lines, const struct profile *profile)
{
    size_t frame_count = profile->frame_count;
    lines->count = frame_count + 1;
    lines->ends = mem_resize(NULL, lines->count * sizeof *lines->ends);
    writer_init(&lines->writer, -1);
    lines->writer.is_on_one_line = true;
    for (size_t i = 0; i < lines->count; i++) {
        write_frame(&lines->writer, i < frame_count ? &profile->frames[i] : &unknown_frame);
        lines->ends[i] = lines->writer.text.len;
    }
}

static void frame_lines_clear(struct frame_lines *lines)
{
    writer_clear(&lines->writer);
    free(lines->ends);
}

static void write_frames(struct writer *writer, const struct frame_lines *lines,
                         const uint32_t *frames, size_t count)
{
    writer_begin_list(writer);
    for (size_t i = 0; i < count; i++) {
        size_t frame = frames[i] < lines->count ? frames[i] : lines->count - 1;
        size_t start = frame > 0 ? lines->ends[frame - 1] : 0;
        writer_json(writer, lines->writer.text.data + start, lines->ends[frame] - start);
    }
    writer_end_list(writer);
}

void stack_list_write_memory(struct writer *writer, const struct profile *profile)
{
    struct frame_lines lines;
    frame_lines_init(&lines, profile);
    writer_key(writer, "memory_stacks");
    writer_begin_list(writer);
    for (size_t i = 0; i < profile->memory_stack_count; i++) {
        const struct profile_memory_stack *stack = &profile->memory_stacks[i];
        writer_begin_list(writer);
        write_frames(writer, &lines, stack->frames, stack->frame_count);
        writer_real(writer, stack->allocated_mb, MB_DECIMALS);
        writer_end_list(writer);
        writer_end_part(writer);
    }
    writer_end_list(writer);
    frame_lines_clear(&lines);
}

void stack_list_write_combined(struct writer *writer, const struct profile *profile)
{
    struct frame_lines lines;
    frame_lines_init(&lines, profile);
    writer_key(writer, "combined_stacks");
    writer_begin_list(writer);
    for (size_t i = 0; i < profile->combined_count; i++) {
        const struct profile_stack *stack = &profile->combined[i];
        writer_begin_list(writer);
        write_frames(writer, &lines, stack->frames, stack->frame_count);
        writer_unsigned(writer, stack->hits);
        writer_end_list(writer);
        writer_end_part(writer);
    }
    writer_end_list(writer);
    frame_lines_clear(&lines);
    write_combined_times(writer, profile);
    writer_key(writer, "combined_stacks_start_s");
    writer_real(writer, profile->timeline_start_s, TIME_DECIMALS);
    write_timeline(writer, profile);
}
