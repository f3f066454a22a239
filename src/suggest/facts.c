// SPDX-License-Identifier: Apache-2.0
#include "suggest/facts.h"

#include <stdlib.h>
#include <string.h>

#include "profile/amount.h"
#include "profile/percent.h"

#define WAIT_LEAST_S   0.001
#define MEMORY_LEAST   0.1 // MB
#define LINE_LEAST_PCT 0.5

static const char *const wait_words[PROFILE_WAIT_COUNT] = {
    [PROFILE_WAIT_gil] = "for the GIL",
    [PROFILE_WAIT_lock] = "for locks",
    [PROFILE_WAIT_sleep] = "asleep",
    [PROFILE_WAIT_disk] = "for the disk",
    [PROFILE_WAIT_network] = "for network",
    [PROFILE_WAIT_pipe] = "for pipes",
    [PROFILE_WAIT_child] = "for children",
    [PROFILE_WAIT_gpu] = "for the GPU",
    [PROFILE_WAIT_other] = "for something else",
};

static void add_split(struct text *out, const struct percent *percent)
{
    const double parts[] = {percent->python, percent->native, percent->system, percent->idle};
    static const char *const names[] = {"Python", "native", "system", "idle"};
    bool is_first = true;
    for (int i = 0; i < 4; i++) {
        if (parts[i] >= 0.05) {
            text_add(out, is_first ? ": " : ", ");
            amount_percent(out, parts[i]);
            text_format(out, " %s", names[i]);
            is_first = false;
        }
    }
}

static void add_share(struct text *out, const struct profile *profile,
                      const struct profile_times *times)
{
    struct percent percent = percent_of(profile, times);
    text_format(out, "%.1f%%", percent_sum(&percent));
    if (percent.error > 0) {
        text_format(out, " +/- %.1f", percent.error);
    }
    add_split(out, &percent);
}

static void add_time(struct text *out, const struct profile *profile, const struct region *region)
{
    text_add(out, "- time, of the program's ");
    amount_duration(out, profile_total_s(profile));
    text_add(out, ": ");
    add_share(out, profile, &region->times);
    text_add_char(out, '\n');
    if (region->times.sample_count > 0 && profile->cpu_count > 0) {
        text_format(out, "- cores in use meanwhile: %.0f%% of %d\n",
                    100 * region->times.utilization_sum / region->times.sample_count,
                    profile->cpu_count);
    }
}

static void add_waits(struct text *out, const struct profile_times *times)
{
    bool is_first = true;
    for (int kind = 0; kind < PROFILE_WAIT_COUNT; kind++) {
        if (times->wait_s[kind] >= WAIT_LEAST_S) {
            text_add(out, is_first ? "- threads waited here (measured): " : ", ");
            amount_duration(out, times->wait_s[kind]);
            text_format(out, " %s", wait_words[kind]);
            is_first = false;
        }
    }
    if (!is_first) {
        text_add_char(out, '\n');
    }
}

static void add_awaits(struct text *out, const struct profile_async *async)
{
    if (async->await_s >= WAIT_LEAST_S) {
        text_add(out, "- tasks awaited here: ");
        amount_duration(out, async->await_s);
        text_format(out, ", %.1f at once on average\n", profile_async_mean(async));
    }
}

static void add_memory(struct text *out, const struct profile *profile, const struct region *region)
{
    const struct profile_memory *memory = &region->memory;
    if (!profile->has_memory) {
        return;
    }
    if (memory->at_peak_mb >= MEMORY_LEAST) {
        text_format(out, "- memory held at the program's peak: %.1f MB +/- %.1f of %.1f MB\n",
                    memory->at_peak_mb, memory->live_error_mb, profile->footprint.max_mb);
    }
    if (memory->peak_mb >= MEMORY_LEAST) {
        text_format(out, "- most memory held at once: %.1f MB\n", memory->peak_mb);
    }
    if (memory->allocated_mb >= MEMORY_LEAST) {
        text_format(out,
                    "- allocated in all: %.1f MB +/- %.1f in %.0f allocations, %.0f%% through "
                    "Python's allocators\n",
                    memory->allocated_mb, memory->error_mb, memory->alloc_count,
                    100 * memory->python_mb / memory->allocated_mb);
    }
    if (memory->copied_mb >= MEMORY_LEAST) {
        text_format(out, "- copied: %.1f MB\n", memory->copied_mb);
    }
}

// Whose work it is, and that it is no part of the time above, has to be said with it.
static void add_gpu(struct text *out, const struct profile *profile, const struct profile_gpu *gpu)
{
    if (!(gpu->seen_s > 0)) {
        return;
    }
    text_format(out,
                "- GPU busy while a thread was here: %.0f%%%s; it need not be this code's work\n",
                profile_gpu_percent(gpu),
                profile->gpus.is_device_wide ? ", of all processes of the machine" : "");
    if (gpu->peak_mb >= MEMORY_LEAST) {
        text_format(out, "- GPU memory in use meanwhile: %.1f MB, at most %.1f MB\n",
                    profile_gpu_average_mb(gpu), gpu->peak_mb);
    }
}

static int compare_lines(const void *left, const void *right)
{
    const struct profile_line *a = *(const struct profile_line *const *)left;
    const struct profile_line *b = *(const struct profile_line *const *)right;
    return (a->number > b->number) - (a->number < b->number);
}

// The lines of a region are few: no more than it has.
static void add_lines(struct text *out, const struct profile *profile, const struct region *region)
{
    const struct profile_line *lines[REGION_LINES_MAX];
    size_t count = 0;
    for (size_t i = 0; i < region->file->line_count && count < REGION_LINES_MAX; i++) {
        const struct profile_line *line = &region->file->lines[i];
        struct percent percent = percent_of(profile, &line->times);
        bool matters =
            percent_sum(&percent) >= LINE_LEAST_PCT || line->memory.peak_mb >= MEMORY_LEAST;
        if (line->number >= region->first && line->number <= region->last && matters) {
            lines[count++] = line;
        }
    }
    qsort(lines, count, sizeof *lines, compare_lines);
    for (size_t i = 0; count > 1 && i < count && i < FACTS_LINES_MAX; i++) {
        text_format(out, "- line %d: ", lines[i]->number);
        add_share(out, profile, &lines[i]->times);
        if (lines[i]->memory.peak_mb >= MEMORY_LEAST) {
            text_format(out, "; held at most %.1f MB", lines[i]->memory.peak_mb);
        }
        text_add_char(out, '\n');
    }
}

void facts_add(struct text *out, const struct profile *profile, const struct region *region)
{
    add_time(out, profile, region);
    add_waits(out, &region->times);
    add_awaits(out, &region->async);
    add_memory(out, profile, region);
    add_gpu(out, profile, &region->gpu);
    add_lines(out, profile, region);
}

static bool is_about(const struct finding *finding, const struct region *region)
{
    for (size_t i = 0; i < finding->place_count; i++) {
        const struct finding_place *place = &finding->places[i];
        if (place->file && strcmp(place->file, region->file->path) == 0 &&
            place->line >= region->first && place->line <= region->last) {
            return true;
        }
    }
    return false;
}

void facts_add_findings(struct text *out, const struct profile *profile,
                        const struct region *region)
{
    for (size_t i = 0; i < profile->findings.count; i++) {
        const struct finding *finding = &profile->findings.items[i];
        if (is_about(finding, region) && finding->sentence) {
            text_format(out, "- %s", finding->sentence);
            if (finding->next_step) {
                text_format(out, " %s", finding->next_step);
            }
            text_add_char(out, '\n');
        }
    }
}
