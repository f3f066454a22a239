// SPDX-License-Identifier: Apache-2.0
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "collect/function_name.h"
#include "collect/tally.h"
#include "collect/tally_data.h"
#include "profile/outline.h"
#include "profile/source.h"

static double pool_true_s(const struct pool *pool)
{
    return pool->true_s + pool->running_s;
}

static double pool_true_system_s(const struct pool *pool)
{
    double system = pool->true_system_s + pool->running_system_s;
    return system < pool_true_s(pool) ? system : pool_true_s(pool);
}

// Filling: a copy of the spots' times with helpers decided, scaled to what each pool truly used.
struct fill {
    struct tally *tally;
    struct profile_times *times; // one a spot
    double scale[TALLY_POOL_MAX];
    struct profile_times lost; // of no profiled line
};

static void decide_helpers(struct fill *fill)
{
    struct tally *tally = fill->tally;
    for (size_t i = 0; i < tally->pair_count; i++) {
        const struct pair *pair = &tally->pairs[i];
        double native = tally_helper_native(tally, pair->leaf);
        double seconds = pair->seconds;
        if (pair->spot == TALLY_NONE) {
            fill->lost.native_s += seconds * native * fill->scale[pair->pool];
            fill->lost.python_s += seconds * (1 - native) * fill->scale[pair->pool];
        } else {
            fill->times[pair->spot].native_s += seconds * native;
            fill->times[pair->spot].python_s += seconds * (1 - native);
        }
    }
}

static double positive(double value)
{
    return value > 0 ? value : 0;
}

// Moves time between a line's own and the kernel's, as far as it has any. Returns what was moved.
static double move_to_system(struct profile_times *times, double seconds)
{
    double user = times->python_s + times->native_s;
    seconds = seconds < user ? seconds : user;
    seconds = seconds > -times->system_s ? seconds : -times->system_s;
    times->system_s += seconds;
    if (user > 0) {
        times->python_s -= seconds * times->python_s / user;
        times->native_s -= seconds * times->native_s / user;
    } else {
        times->native_s -= seconds;
    }
    return seconds;
}

// What speaks for a line having been in the kernel.
static double system_evidence(const struct fill *fill, size_t spot)
{
    return fill->times[spot].system_s + positive(fill->tally->spots[spot].spare_system_s);
}

// The kernel's own account of system time against ours. What is missing goes to the lines that
// were in the kernel, or were charged more than their samples showed; what is too much is taken
// back from all; what finds no line goes to the time that has none.
static void settle_system(struct fill *fill, uint32_t pool_index)
{
    struct tally *tally = fill->tally;
    const struct pool *pool = &tally->pools[pool_index];
    double missing = pool_true_system_s(pool) - pool->system_s * fill->scale[pool_index];
    double evidence = 0;
    double placed = 0;
    for (size_t i = 1; i < tally->spot_count; i++) {
        if (tally->spots[i].pool == pool_index) {
            evidence += missing > 0 ? system_evidence(fill, i) : fill->times[i].system_s;
        }
    }
    for (size_t i = 1; i < tally->spot_count && evidence > 0; i++) {
        if (tally->spots[i].pool == pool_index) {
            double part = missing > 0 ? system_evidence(fill, i) : fill->times[i].system_s;
            placed += move_to_system(&fill->times[i], missing * part / evidence);
        }
    }
    if (pool->sampled_s > 0) {
        move_to_system(&fill->lost, missing - placed);
    }
}

static void scale_spots(struct fill *fill)
{
    struct tally *tally = fill->tally;
    for (size_t i = 1; i < tally->spot_count; i++) {
        double scale = fill->scale[tally->spots[i].pool];
        fill->times[i].python_s *= scale;
        fill->times[i].native_s *= scale;
        fill->times[i].system_s *= scale;
    }
}

static double pool_scale(const struct pool *pool)
{
    double true_s = pool_true_s(pool);
    return pool->sampled_s > 0 && true_s > 0 ? true_s / pool->sampled_s : 1;
}

double tally_unseen_s(const struct tally *tally)
{
    double seconds = 0;
    for (size_t i = 0; i < tally->pool_count; i++) {
        seconds += tally->pools[i].unseen_s * pool_scale(&tally->pools[i]);
    }
    return seconds;
}

static void find_scales(struct fill *fill)
{
    struct tally *tally = fill->tally;
    for (size_t i = 0; i < tally->pool_count; i++) {
        const struct pool *pool = &tally->pools[i];
        double true_s = pool_true_s(pool);
        fill->scale[i] = pool_scale(pool);
        fill->lost.python_s += pool->lost_s * fill->scale[i];
        fill->lost.native_s += pool->lost_native_s * fill->scale[i];
        fill->lost.system_s += pool->lost_system_s * fill->scale[i];
        if (pool->sampled_s <= 0) { // short threads that no sample met
            fill->lost.native_s += true_s - pool_true_system_s(pool);
            fill->lost.system_s += pool_true_system_s(pool);
        }
    }
}

static void add_line(struct fill *fill, struct profile_file *file, size_t index,
                     struct outline *outline)
{
    const struct spot *spot = &fill->tally->spots[index];
    const struct profile_times *times = &fill->times[index];
    struct profile_line *line = profile_line(file, spot->line);
    profile_times_add(&line->times, times);
    size_t room = TALLY_TIMES_MAX - line->sample_time_count;
    size_t count = spot->sample_time_count < room ? spot->sample_time_count : room;
    if (count > 0) {
        size_t total = line->sample_time_count + count;
        line->sample_times_s = mem_resize(line->sample_times_s, total * sizeof(double));
        memcpy(line->sample_times_s + line->sample_time_count, spot->sample_times_s,
               count * sizeof(double));
        line->sample_time_count = total;
    }
    profile_async_add(&line->async, &spot->async);
    profile_async_add(&line->async, &spot->running);
    profile_gpu_add(&line->gpu, &spot->gpu);
    int first_line = spot->first_line;
    char *name = function_name(fill->tally->functions.texts[spot->function], spot->is_qualified,
                               spot->line, &first_line, outline);
    if (name) {
        struct profile_function *function = profile_function(file, name, first_line);
        profile_times_add(&function->times, times);
        profile_async_add(&function->async, &spot->async);
        profile_async_add(&function->async, &spot->running);
        profile_gpu_add(&function->gpu, &spot->gpu);
        free(name);
    }
}

static int compare_spots(const void *a, const void *b, void *context)
{
    const struct tally *tally = context;
    const struct spot *left = &tally->spots[*(const size_t *)a];
    const struct spot *right = &tally->spots[*(const size_t *)b];
    if (left->path != right->path) {
        return left->path < right->path ? -1 : 1;
    }
    return left->line < right->line ? -1 : left->line > right->line;
}

// File by file, so that each source is read and outlined once.
static void add_files(struct fill *fill, struct profile *profile)
{
    struct tally *tally = fill->tally;
    size_t count = tally->spot_count - 1;
    size_t *order = mem_alloc((count + 1) * sizeof *order);
    for (size_t i = 0; i < count; i++) {
        order[i] = i + 1;
    }
    qsort_r(order, count, sizeof *order, compare_spots, tally);
    struct outline *outline = NULL;
    for (size_t i = 0; i < count; i++) {
        const struct spot *spot = &tally->spots[order[i]];
        const char *path = tally->paths.texts[spot->path];
        if (i == 0 || spot->path != tally->spots[order[i - 1]].path) {
            struct source source = {0};
            outline_free(outline);
            outline = source_from_path(&source, path) ? outline_new(&source) : NULL;
            source_clear(&source);
        }
        add_line(fill, profile_file(profile, path), order[i], outline);
        profile_times_add(&profile->totals, &fill->times[order[i]]);
        profile->await_s += spot->async.await_s + spot->running.await_s;
    }
    outline_free(outline);
    free(order);
}

// One point is drawn in each period: a line's number of samples is at most as uncertain as if each
// period had been given to it with the probability of its share.
static double variance(const struct profile_times *times, double total_s, double period_s)
{
    double cpu = profile_times_cpu_s(times);
    double rest = total_s > cpu ? 1 - cpu / total_s : 0;
    return cpu * rest * period_s;
}

static void add_variances(const struct tally *tally, struct profile *profile)
{
    double total = profile_times_cpu_s(&profile->totals);
    for (size_t i = 0; i < profile->file_count; i++) {
        struct profile_file *file = &profile->files[i];
        for (size_t j = 0; j < file->line_count; j++) {
            struct profile_times *times = &file->lines[j].times;
            times->variance_s2 = variance(times, total, tally->period_s);
        }
        for (size_t j = 0; j < file->function_count; j++) {
            struct profile_times *times = &file->functions[j].times;
            times->variance_s2 = variance(times, total, tally->period_s);
        }
    }
}

static void forget_running(struct tally *tally)
{
    for (size_t i = 0; i < tally->pool_count; i++) {
        tally->pools[i].running_s = 0;
        tally->pools[i].running_system_s = 0;
    }
    for (size_t i = 0; i < tally->spot_count; i++) {
        tally->spots[i].times.idle_s = 0;
        profile_async_clear(&tally->spots[i].running);
    }
    tally->idle_lost_s = 0;
}

void tally_fill(struct tally *tally, struct profile *profile)
{
    struct fill fill = {.tally = tally};
    fill.times = mem_alloc(tally->spot_count * sizeof *fill.times);
    for (size_t i = 0; i < tally->spot_count; i++) {
        fill.times[i] = tally->spots[i].times;
    }
    find_scales(&fill);
    decide_helpers(&fill);
    scale_spots(&fill);
    for (size_t i = 0; i < tally->pool_count; i++) {
        settle_system(&fill, (uint32_t)i);
    }
    add_files(&fill, profile);
    struct profile_times lost = tally->spots[0].times;
    profile_times_add(&lost, &fill.lost);
    lost.idle_s += tally->idle_lost_s;
    profile_times_add(&profile->totals, &lost);
    profile->quality.cpu_unattributed_s += profile_times_cpu_s(&lost);
    if (tally->has_lines_left_out) {
        profile_note(profile,
                     "The program has run %zu lines so far; the time of more is counted in "
                     "the totals only.",
                     tally->spot_count - 1);
    }
    add_variances(tally, profile);
    forget_running(tally);
    free(fill.times);
}
