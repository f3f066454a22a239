// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "collect/function_name.h"
#include "collect/memory_data.h"
#include "profile/source.h"

#define NORMAL_QUANTILE 1.96 // of 97.5 %
#define WORTH_A_NOTE    (PROFILE_MB / 20)

static double megabytes(double bytes)
{
    return bytes / PROFILE_MB;
}

// Where an account's bytes begin and end between two points is chance, in each class of sizes, and
// in one that no point has hit.
static double edge_variance(const struct memory_account *account)
{
    int class_count = __builtin_popcountll(account->classes) + 1;
    return class_count * account->distance * account->distance / 3;
}

// Of the bytes held: how many were allocated, and which of them are still there.
static double live_variance(const struct memory_account *account, struct holding_sum live)
{
    double kept = account->allocated > 0 ? fmin(1, live.bytes / account->allocated) : 0;
    double allocated = kept * kept * account->variance + edge_variance(account);
    return live.bytes > 0 ? live.square * (1 - kept) + allocated : 0;
}

static struct holding_sum live_at_end(const struct memory_account *account)
{
    const struct holding_sum *now = &account->holding.now;
    return (struct holding_sum){account->at_end.bytes + now->bytes,
                                account->at_end.square + now->square};
}

static struct profile_memory memory_of(const struct memory_tally *tally,
                                       const struct memory_account *account, double end_s)
{
    struct holding_sum at_peak = holding_at_peak(&account->holding, tally->peak_number);
    struct holding_sum at_end = live_at_end(account);
    double variance = fmax(live_variance(account, at_peak), live_variance(account, at_end));
    double all = tally->all.allocated + tally->missed_bytes;
    struct profile_memory memory = {
        .allocated_mb = megabytes(account->allocated),
        .python_mb = megabytes(account->python),
        .usage_fraction = all > 0 ? fmin(1, account->allocated / all) : 0,
        .alloc_count = account->count,
        .error_mb = NORMAL_QUANTILE * megabytes(sqrt(account->variance + edge_variance(account))),
        .live_error_mb = NORMAL_QUANTILE * megabytes(sqrt(variance)),
        .average_mb = megabytes(holding_average(&account->holding, end_s)),
        .peak_mb = megabytes(account->holding.most_bytes),
        .at_peak_mb = megabytes(at_peak.bytes),
        .at_end_mb = megabytes(at_end.bytes),
        .copied_mb = megabytes(account->copied),
    };
    memory.points = series_points(&account->holding.series, end_s, &memory.point_count);
    return memory;
}

static int compare_paths(const void *a, const void *b, void *context)
{
    const struct memory_account *list = context;
    const struct memory_account *left = &list[*(const size_t *)a];
    const struct memory_account *right = &list[*(const size_t *)b];
    if (left->path != right->path) {
        return left->path < right->path ? -1 : 1;
    }
    return left->line < right->line ? -1 : left->line > right->line;
}

// Indices from `first` on, file by file.
static size_t *in_order(const struct memory_accounts *accounts, size_t first)
{
    size_t *order = mem_alloc((accounts->count + 1) * sizeof *order);
    for (size_t i = first; i < accounts->count; i++) {
        order[i - first] = i;
    }
    qsort_r(order, accounts->count - first, sizeof *order, compare_paths, accounts->list);
    return order;
}

static void fill_lines(const struct memory_tally *tally, struct profile *profile, double end_s)
{
    const size_t first = MEMORY_ELSEWHERE + 1;
    size_t *order = in_order(&tally->lines, first);
    for (size_t i = first; i < tally->lines.count; i++) {
        const struct memory_account *account = &tally->lines.list[order[i - first]];
        struct profile_file *file = profile_file(profile, tally->paths.texts[account->path]);
        struct profile_line *line = profile_line(file, account->line);
        line->memory = memory_of(tally, account, end_s);
        line->leak = account->leak;
    }
    free(order);
}

void memory_tally_fill_leak(const struct memory_tally *tally, uint32_t line,
                            struct profile_leak leak, struct profile *profile)
{
    const struct memory_account *account = &tally->lines.list[line];
    struct profile_file *file = profile_file(profile, tally->paths.texts[account->path]);
    profile_leak_add(&profile_line(file, account->line)->leak, leak);
}

static void fill_function(const struct memory_tally *tally, const struct memory_account *account,
                          struct profile_file *file, struct outline *outline, double end_s)
{
    int first_line = account->first_line;
    char *name = function_name(tally->functions.texts[account->function], account->is_qualified,
                               account->line, &first_line, outline);
    if (name) {
        struct profile_memory memory = memory_of(tally, account, end_s);
        profile_memory_add(&profile_function(file, name, first_line)->memory, &memory);
        profile_memory_clear(&memory);
        free(name);
    }
}

// File by file, so that each source is read and outlined once.
static void fill_functions(const struct memory_tally *tally, struct profile *profile, double end_s)
{
    size_t *order = in_order(&tally->code, 1);
    struct outline *outline = NULL;
    for (size_t i = 1; i < tally->code.count; i++) {
        const struct memory_account *account = &tally->code.list[order[i - 1]];
        const char *path = tally->paths.texts[account->path];
        if (i == 1 || account->path != tally->code.list[order[i - 2]].path) {
            struct source source = {0};
            outline_free(outline);
            outline = source_from_path(&source, path) ? outline_new(&source) : NULL;
            source_clear(&source);
        }
        fill_function(tally, account, profile_file(profile, path), outline, end_s);
    }
    outline_free(outline);
    free(order);
}

static double at_peak(const struct memory_tally *tally, const struct holding *holding)
{
    return holding_at_peak(holding, tally->peak_number).bytes;
}

// The line that held most when the footprint was highest, and what all lines held then.
static double fill_holder(const struct memory_tally *tally, struct profile_footprint *footprint)
{
    double sum = 0;
    double most = 0;
    for (size_t i = MEMORY_ELSEWHERE + 1; i < tally->lines.count; i++) {
        const struct memory_account *account = &tally->lines.list[i];
        double bytes = at_peak(tally, &account->holding);
        sum += bytes;
        if (bytes > most) {
            most = bytes;
            free(footprint->path);
            footprint->path = mem_copy_text(tally->paths.texts[account->path]);
            footprint->line = account->line;
        }
    }
    return sum;
}

static void fill_footprint(const struct memory_tally *tally, struct profile *profile, double end_s)
{
    struct profile_footprint *footprint = &profile->footprint;
    const struct memory_account *native = &tally->lines.list[MEMORY_NATIVE];
    double lines = fill_holder(tally, footprint);
    double sampled = at_peak(tally, &tally->all.holding);
    double native_bytes = at_peak(tally, &native->holding);
    double peak = tally->level.peak_bytes;
    double allocated = tally->all.allocated + tally->missed_bytes;
    footprint->max_mb = megabytes(peak);
    footprint->python_fraction =
        sampled > 0 ? fmin(1, at_peak(tally, &tally->python) / sampled) : 0;
    footprint->growth_percent =
        allocated > 0 ? fmin(100, 100 * live_at_end(&tally->all).bytes / allocated) : 0;
    footprint->allocated_mb = megabytes(allocated);
    footprint->native_allocated_mb = megabytes(native->allocated);
    footprint->native_at_peak_mb = megabytes(native_bytes);
    footprint->unattributed_at_peak_mb = megabytes(peak - lines - native_bytes);
    footprint->file_mapped_mb = megabytes(tally->file_peak_bytes);
    footprint->shared_mb = megabytes(tally->shared_peak_bytes);
    footprint->event_count = tally->event_count;
    footprint->points = series_points(&tally->footprint, end_s, &footprint->point_count);
}

static void note_missing(const struct memory_tally *tally, struct profile *profile)
{
    if (tally->missed_bytes >= WORTH_A_NOTE) {
        profile_note(profile,
                     "Of %.1f MB allocated it is not known by which lines, as there was no room to "
                     "record it; they are in the totals only.",
                     megabytes(tally->missed_bytes));
    }
    if (tally->lost_bytes > 0) {
        profile_note(profile,
                     "Of blocks that stand for %.1f MB it is not known when they were freed; they "
                     "count as held until sight of them was lost.",
                     megabytes(tally->lost_bytes));
    }
}

void memory_tally_fill(const struct memory_tally *tally, struct profile *profile, double end_s)
{
    fill_lines(tally, profile, end_s);
    fill_functions(tally, profile, end_s);
    fill_footprint(tally, profile, end_s);
    if (tally->has_lines_left_out) {
        profile_note(profile,
                     "%zu lines have allocated so far; the memory of more is counted in the totals "
                     "only.",
                     tally->lines.count - MEMORY_ELSEWHERE - 1);
    }
    note_missing(tally, profile);
}
