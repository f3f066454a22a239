// SPDX-License-Identifier: Apache-2.0
// Loops that keep the interpreter busy.

#include <math.h>

#include "profile/amount.h"
#include "profile/finding_scene.h"

#define HOT_PART    0.10 // of the CPU time
#define PYTHON_PART 0.80 // of the loop's
#define LOOPS_MAX   2

// What all lines of a block took.
static struct profile_times sum_of(const struct profile_file *file, const struct block *block)
{
    struct profile_times sum = {0};
    for (size_t i = 0; i < file->line_count; i++) {
        if (file->lines[i].number >= block->first && file->lines[i].number <= block->last) {
            profile_times_add(&sum, &file->lines[i].times);
        }
    }
    return sum;
}

static bool is_bound(const struct scene *scene, const struct profile_times *times)
{
    double lower_s = profile_times_cpu_s(times) - scene_cpu_error_s(times);
    return lower_s > 0 && lower_s >= HOT_PART * scene->cpu_s &&
           times->python_s >= PYTHON_PART * profile_times_cpu_s(times);
}

// A little below its heaviest line, which says more.
static double weight_of(const struct scene *scene, size_t file, const struct block *block)
{
    const struct profile_file *from = &scene->profile->files[file];
    double most_s = 0;
    for (size_t i = 0; i < from->line_count; i++) {
        if (from->lines[i].number >= block->first && from->lines[i].number <= block->last) {
            most_s = fmax(most_s, profile_times_cpu_s(&from->lines[i].times));
        }
    }
    return 0.95 * most_s / scene->cpu_s;
}

static void add_loop(struct scene *scene, size_t file, const struct block *block,
                     const struct profile_times *times)
{
    double error_s = scene_cpu_error_s(times);
    struct profile_line first = {.number = block->first};
    struct scene_line where = {&first, file};
    struct text text = {0};
    text_add(&text, "The loop at ");
    scene_add_place(&text, scene, where);
    text_format(&text, "-%d kept the interpreter busy for ", block->last);
    amount_duration(&text, times->python_s);
    text_format(&text, ", %.0f%%", 100 * times->python_s / scene->cpu_s);
    if (error_s > 0) {
        text_format(&text, " ± %.0f", ceil(100 * error_s / scene->cpu_s));
    }
    text_add(&text, " of the CPU time.");
    struct finding *finding = finding_add(scene, "interpreter-loop",
                                          weight_of(scene, file, block) * scene->cpu_part, &text);
    finding_evidence(finding, "Python time in the loop", times->python_s, "s", error_s);
    finding_evidence(finding, "native time in the loop", times->native_s, "s", -1);
    finding_place(finding, scene, where);
    finding_advice(finding,
                   "The Python time of all lines of the loop, estimated from samples of CPU time.",
                   "A few large native calls in place of many small steps (comprehensions, "
                   "built-ins, arrays) would take the interpreter out of it.");
    text_clear(&text);
}

// Blocks come with the outer ones first: a loop inside one that was named is not named again.
static size_t find_in_file(struct scene *scene, size_t file, size_t left)
{
    const struct block_list *blocks = scene_blocks(scene, file);
    size_t found = 0;
    int named_until = 0;
    for (size_t i = 0; i < blocks->count && found < left; i++) {
        const struct block *block = &blocks->blocks[i];
        if (block->kind != BLOCK_LOOP || block->first <= named_until) {
            continue;
        }
        struct profile_times times = sum_of(&scene->profile->files[file], block);
        if (is_bound(scene, &times)) {
            add_loop(scene, file, block, &times);
            named_until = block->last;
            found++;
        }
    }
    return found;
}

static double cpu_of_file(const struct profile_file *file)
{
    double sum = 0;
    for (size_t i = 0; i < file->line_count; i++) {
        sum += profile_times_cpu_s(&file->lines[i].times);
    }
    return sum;
}

void finding_loop(struct scene *scene)
{
    size_t left = LOOPS_MAX;
    for (size_t i = 0; i < scene->profile->file_count && left > 0; i++) {
        if (scene->cpu_s > 0 && cpu_of_file(&scene->profile->files[i]) >= HOT_PART * scene->cpu_s) {
            left -= find_in_file(scene, i, left);
        }
    }
}
