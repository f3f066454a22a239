// SPDX-License-Identifier: Apache-2.0
#include "collect/focus.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

#define RANGE_MAX 4096u   // decorated functions
#define KNOWN_MAX 100000u // code objects that are remembered

enum { KNOWN_OUTSIDE = 1, KNOWN_INSIDE = 2 };

void focus_clear(struct focus *focus)
{
    for (size_t i = 0; i < focus->count; i++) {
        free(focus->ranges[i].path);
    }
    free(focus->ranges);
    map_clear(&focus->known);
    *focus = (struct focus){0};
}

static int last_line(const struct code *code)
{
    int last = code->first_line;
    for (size_t i = 0; i < code->lines.count; i++) {
        last = code->lines.rows[i].line > last ? code->lines.rows[i].line : last;
    }
    return last;
}

static struct focus_range *find(const struct focus *focus, const char *path, int line)
{
    for (size_t i = 0; i < focus->count; i++) {
        struct focus_range *range = &focus->ranges[i];
        if (line >= range->first_line && line <= range->last_line &&
            strcmp(range->path, path) == 0) {
            return range;
        }
    }
    return NULL;
}

void focus_add(struct focus *focus, const struct code *code)
{
    struct focus_range *around = find(focus, code->path, code->first_line);
    if ((around && around->last_line >= last_line(code)) || focus->count >= RANGE_MAX) {
        return;
    }
    focus->ranges = mem_grow(focus->ranges, focus->count, &focus->capacity, sizeof *focus->ranges);
    focus->ranges[focus->count++] = (struct focus_range){
        .path = mem_copy_text(code->path),
        .first_line = code->first_line,
        .last_line = last_line(code),
    };
    map_clear(&focus->known);
}

// The whole file has the first line of whatever it begins with.
static bool is_inside(struct focus *focus, const struct code *code)
{
    struct focus_range *range =
        strcmp(code->name, "<module>") == 0 ? NULL : find(focus, code->path, code->first_line);
    if (!range) {
        return false;
    }
    // A function that ends the decorated one reaches further than the statement that makes it.
    int last = last_line(code);
    range->last_line = last > range->last_line ? last : range->last_line;
    return true;
}

bool focus_has(struct focus *focus, const struct code *code)
{
    uint64_t known = map_get(&focus->known, code->key);
    if (known == 0) {
        known = is_inside(focus, code) ? KNOWN_INSIDE : KNOWN_OUTSIDE;
        if (focus->known.count >= KNOWN_MAX) {
            map_clear(&focus->known);
        }
        map_put(&focus->known, code->key, known);
    }
    return known == KNOWN_INSIDE;
}

static void limit_lines(const struct focus *focus, struct profile_file *file,
                        struct profile_times *kept)
{
    for (size_t i = 0; i < file->line_count; i++) {
        struct profile_line *line = &file->lines[i];
        if (find(focus, file->path, line->number)) {
            profile_times_add(kept, &line->times);
            continue;
        }
        line->times = (struct profile_times){0};
        profile_memory_clear(&line->memory);
        line->memory = (struct profile_memory){0};
        line->leak = (struct profile_leak){0};
        line->sample_time_count = 0;
    }
    for (size_t i = 0; i < file->function_count; i++) {
        struct profile_function *function = &file->functions[i];
        if (!find(focus, file->path, function->first_line)) {
            function->times = (struct profile_times){0};
            profile_memory_clear(&function->memory);
            function->memory = (struct profile_memory){0};
        }
    }
}

static bool shows_focus(const struct focus *focus, const struct profile *profile,
                        const uint32_t *frames, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct profile_frame *frame = &profile->frames[frames[i]];
        if (!frame->is_native && find(focus, frame->file, frame->line)) {
            return true;
        }
    }
    return false;
}

// Returns how many are left. `places`, if wanted, gets the new index + 1 of each, 0 for those gone.
static size_t limit_stacks(const struct focus *focus, const struct profile *profile,
                           struct profile_stack *stacks, size_t count, uint32_t *places)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        if (shows_focus(focus, profile, stacks[i].frames, stacks[i].frame_count)) {
            stacks[kept++] = stacks[i];
        } else {
            free(stacks[i].frames);
            continue;
        }
        if (places) {
            places[i] = (uint32_t)kept;
        }
    }
    return kept;
}

static void limit_timeline(struct profile *profile, const uint32_t *places)
{
    size_t kept = 0;
    for (size_t i = 0; i < profile->timeline_count; i++) {
        struct profile_run run = profile->timeline[i];
        if (places[run.stack] != 0) {
            run.stack = places[run.stack] - 1;
            profile->timeline[kept++] = run;
        }
    }
    profile->timeline_count = kept;
}

static void limit_memory_stacks(const struct focus *focus, struct profile *profile)
{
    size_t kept = 0;
    for (size_t i = 0; i < profile->memory_stack_count; i++) {
        struct profile_memory_stack stack = profile->memory_stacks[i];
        if (shows_focus(focus, profile, stack.frames, stack.frame_count)) {
            profile->memory_stacks[kept++] = stack;
        } else {
            free(stack.frames);
        }
    }
    profile->memory_stack_count = kept;
}

static void limit_all_stacks(const struct focus *focus, struct profile *profile)
{
    uint32_t *places = mem_alloc((profile->combined_count + 1) * sizeof *places);
    profile->stack_count =
        limit_stacks(focus, profile, profile->stacks, profile->stack_count, NULL);
    profile->combined_count =
        limit_stacks(focus, profile, profile->combined, profile->combined_count, places);
    limit_timeline(profile, places);
    free(places);
    limit_memory_stacks(focus, profile);
}

void focus_limit(const struct focus *focus, struct profile *profile)
{
    if (focus->count == 0) {
        return;
    }
    struct profile_times kept = {0};
    for (size_t i = 0; i < profile->file_count; i++) {
        limit_lines(focus, &profile->files[i], &kept);
    }
    limit_all_stacks(focus, profile);
    double outside_s = profile_times_cpu_s(&profile->totals) - profile_times_cpu_s(&kept);
    profile->totals = kept;
    profile->quality.cpu_unattributed_s = 0;
    profile_note(profile,
                 "The program decorates %zu %s with @profile: this is about %s alone; %.2f s of "
                 "CPU outside are left out.",
                 focus->count, focus->count == 1 ? "function" : "functions",
                 focus->count == 1 ? "it" : "them", outside_s > 0 ? outside_s : 0);
}
