// SPDX-License-Identifier: Apache-2.0
#include "suggest/ranking.h"

#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/mem.h"

struct candidate {
    struct place heaviest;
    double heaviest_share;
    struct outline_range extent;
    struct stake own; // of the lines whose region it is
};

struct ranking {
    const struct profile *profile;
    enum region_aim aim;
    struct candidate *candidates;
    size_t count;
    size_t capacity;
};

static double share_of(const struct ranking *ranking, const struct stake *stake)
{
    return ranking->aim == REGION_FOR_TIME ? stake->time : stake_memory(stake);
}

static struct candidate *find_candidate(struct ranking *ranking, struct map *by_extent,
                                        struct outline_range extent)
{
    uint64_t key = (uint64_t)(uint32_t)extent.first << 32 | (uint32_t)extent.last;
    uint64_t index = map_get(by_extent, key);
    if (index == 0) {
        ranking->candidates = mem_grow(ranking->candidates, ranking->count, &ranking->capacity,
                                       sizeof *ranking->candidates);
        ranking->candidates[ranking->count] = (struct candidate){.extent = extent};
        index = ++ranking->count;
        map_put(by_extent, key, index);
    }
    return &ranking->candidates[index - 1];
}

// What one file is while it is looked at.
struct sheet {
    const struct profile_file *file;
    struct source source;
    struct outline *outline;
    struct stake *until;  // of all lines up to N at N
    struct map by_extent; // to the candidate's index + 1
};

static void add_line(struct ranking *ranking, struct sheet *sheet, const struct profile_line *line)
{
    struct stake stake = stake_of(ranking->profile, &line->times, &line->memory);
    double share = share_of(ranking, &stake);
    if (!(share > 0) || line->number < 1 || (size_t)line->number > sheet->source.line_count) {
        return;
    }
    struct outline_place place = outline_find(sheet->outline, line->number);
    struct candidate *candidate =
        find_candidate(ranking, &sheet->by_extent, region_extent(&place, false));
    sheet->until[line->number] = stake_sum(&sheet->until[line->number], &stake);
    candidate->own = stake_sum(&candidate->own, &stake);
    if (share > candidate->heaviest_share) {
        candidate->heaviest_share = share;
        candidate->heaviest = (struct place){sheet->file, line->number};
    }
}

// With all that is inside it. Differences of sums are not exact: the last word has region_find.
static bool may_be_worth(const struct ranking *ranking, const struct sheet *sheet,
                         const struct candidate *candidate)
{
    const struct stake *last = &sheet->until[candidate->extent.last];
    const struct stake *before = &sheet->until[candidate->extent.first - 1];
    const struct stake whole = {last->time - before->time, last->held - before->held,
                                last->allocated - before->allocated};
    return share_of(ranking, &whole) > STAKE_LEAST / 2;
}

static void add_file(struct ranking *ranking, const struct profile_file *file)
{
    struct sheet sheet = {.file = file};
    size_t kept = ranking->count;
    source_from_text(&sheet.source, file->source, strlen(file->source));
    sheet.outline = outline_new(&sheet.source);
    sheet.until = mem_alloc((sheet.source.line_count + 1) * sizeof *sheet.until);
    for (size_t i = 0; i < file->line_count; i++) {
        add_line(ranking, &sheet, &file->lines[i]);
    }
    for (size_t i = 1; i <= sheet.source.line_count; i++) {
        sheet.until[i] = stake_sum(&sheet.until[i - 1], &sheet.until[i]);
    }
    for (size_t i = kept; i < ranking->count; i++) {
        if (may_be_worth(ranking, &sheet, &ranking->candidates[i])) {
            ranking->candidates[kept++] = ranking->candidates[i];
        }
    }
    ranking->count = kept;
    free(sheet.until);
    outline_free(sheet.outline);
    source_clear(&sheet.source);
    map_clear(&sheet.by_extent);
}

static int compare_places(const struct place *one, const struct place *other)
{
    int order = strcmp(one->file->path, other->file->path);
    return order ? order : (one->line > other->line) - (one->line < other->line);
}

static int compare(const void *left, const void *right, void *context)
{
    const struct candidate *a = left;
    const struct candidate *b = right;
    double a_share = share_of(context, &a->own);
    double b_share = share_of(context, &b->own);
    if (a_share != b_share) {
        return a_share > b_share ? -1 : 1;
    }
    return compare_places(&a->heaviest, &b->heaviest);
}

static bool is_apart(const struct candidate *candidate, const struct candidate *taken, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (taken[i].heaviest.file == candidate->heaviest.file &&
            taken[i].extent.first <= candidate->extent.last &&
            candidate->extent.first <= taken[i].extent.last) {
            return false;
        }
    }
    return true;
}

static bool can_be_asked(const struct ranking *ranking, const struct candidate *candidate)
{
    struct region region;
    struct error err;
    const struct place *place = &candidate->heaviest;
    if (!region_find(&region, ranking->profile, place->file, place->line, false, &err)) {
        return false;
    }
    bool is_worth = share_of(ranking, &region.stake) >= STAKE_LEAST;
    region_clear(&region);
    return is_worth;
}

size_t ranking_top(const struct profile *profile, enum region_aim aim, struct place *places,
                   size_t max)
{
    struct ranking ranking = {.profile = profile, .aim = aim};
    size_t count = 0;
    for (size_t i = 0; i < profile->file_count; i++) {
        if (profile->files[i].source) {
            add_file(&ranking, &profile->files[i]);
        }
    }
    if (ranking.count > 0) {
        qsort_r(ranking.candidates, ranking.count, sizeof *ranking.candidates, compare, &ranking);
    }
    for (size_t i = 0; i < ranking.count && count < max; i++) {
        struct candidate *candidate = &ranking.candidates[i];
        if (is_apart(candidate, ranking.candidates, count) && can_be_asked(&ranking, candidate)) {
            places[count] = candidate->heaviest;
            ranking.candidates[count++] = *candidate; // those that are taken stand in front
        }
    }
    free(ranking.candidates);
    return count;
}
