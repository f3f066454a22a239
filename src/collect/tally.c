// SPDX-License-Identifier: Apache-2.0
#include "collect/tally.h"

#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/mem.h"
#include "profile/outline.h"
#include "profile/source.h"

#define POOL_MAX          64u
#define SITE_MAX          6u
#define SAMPLE_TIMES_MAX  500u
#define HELPER_MIN        30.0 // samples of a line before its helpers are judged by their sites
#define EVAL_SHARE_MIN    10.0
#define NATIVE_SHARE      0.03 // of the line outside one call: it is that one operation
#define RANDOM_MULTIPLIER 6364136223846793005u

// One line of a profiled file, in one pool.
struct spot {
    uint32_t pool;
    uint32_t path; // index of tally.paths
    uint32_t function;
    int line;
    int first_line;
    bool is_qualified;
    struct profile_times times; // python: the loop's own; helpers are in the pairs
    double spare_system_s;
    double *sample_times_s;
    size_t sample_time_count;
    uint64_t sample_seen;
};

// One line that ran, anywhere.
struct leaf {
    double eval_n;
    double native_n;
    double helper_n;
    double free_n; // of the helpers
    uint64_t sites[SITE_MAX];
    double site_n[SITE_MAX];
};

// Helper time of a leaf on behalf of a spot.
struct pair {
    uint32_t leaf;
    uint32_t spot;
    uint32_t pool;
    double seconds;
};

struct pool {
    double sampled_s;
    double system_s; // of it
    double true_s;
    double true_system_s;
    double running_s; // to be added to these two
    double running_system_s;
    double lost_s; // samples of no profiled line, without helpers
    double lost_system_s;
    double lost_native_s;
};

struct tally {
    double period_s;
    struct names commands;
    struct names paths;
    struct names functions;
    struct map pool_index;
    struct pool pools[POOL_MAX];
    size_t pool_count;
    struct map spot_index;
    struct spot *spots; // from 1 up
    size_t spot_count;
    size_t spot_capacity;
    struct map leaf_index;
    struct leaf *leaves; // from 1 up
    size_t leaf_count;
    size_t leaf_capacity;
    struct map pair_index;
    struct pair *pairs;
    size_t pair_count;
    size_t pair_capacity;
    double idle_lost_s; // on no profiled line
    uint64_t random;
};

struct tally *tally_new(double period_s)
{
    struct tally *tally = mem_alloc(sizeof *tally);
    tally->period_s = period_s;
    tally->random = 1;
    tally->spot_count = 1;
    tally->leaf_count = 1;
    tally->spots = mem_grow(NULL, 0, &tally->spot_capacity, sizeof *tally->spots);
    tally->leaves = mem_grow(NULL, 0, &tally->leaf_capacity, sizeof *tally->leaves);
    memset(tally->spots, 0, sizeof *tally->spots);
    memset(tally->leaves, 0, sizeof *tally->leaves);
    return tally;
}

void tally_free(struct tally *tally)
{
    for (size_t i = 0; i < tally->spot_count; i++) {
        free(tally->spots[i].sample_times_s);
    }
    names_clear(&tally->commands);
    names_clear(&tally->paths);
    names_clear(&tally->functions);
    map_clear(&tally->pool_index);
    map_clear(&tally->spot_index);
    map_clear(&tally->leaf_index);
    map_clear(&tally->pair_index);
    free(tally->spots);
    free(tally->leaves);
    free(tally->pairs);
    free(tally);
}

uint32_t tally_pool(struct tally *tally, const char *command, uint64_t start_routine)
{
    uint64_t key =
        map_key(names_add(&tally->commands, command, strlen(command)) + 1, start_routine);
    uint64_t known = map_get(&tally->pool_index, key);
    if (known == 0) {
        if (tally->pool_count < POOL_MAX) {
            tally->pool_count++;
        }
        known = tally->pool_count;
        map_put(&tally->pool_index, key, known);
    }
    return (uint32_t)known - 1;
}

uint32_t tally_spot(struct tally *tally, uint32_t pool, const struct tally_place *place)
{
    uint32_t path = names_add(&tally->paths, place->path, strlen(place->path));
    uint32_t function = names_add(&tally->functions, place->function, strlen(place->function));
    uint64_t key = map_key(map_key(map_key(path + 1, (uint64_t)place->line), function + 1),
                           (uint64_t)place->first_line << 8 | pool);
    uint64_t known = map_get(&tally->spot_index, key);
    if (known == 0) {
        tally->spots =
            mem_grow(tally->spots, tally->spot_count, &tally->spot_capacity, sizeof *tally->spots);
        known = tally->spot_count++;
        tally->spots[known] = (struct spot){.pool = pool,
                                            .path = path,
                                            .function = function,
                                            .line = place->line,
                                            .first_line = place->first_line,
                                            .is_qualified = place->is_qualified};
        map_put(&tally->spot_index, key, known);
    }
    return (uint32_t)known;
}

uint32_t tally_leaf(struct tally *tally, uint64_t code_key, int line)
{
    uint64_t key = map_key(code_key, (uint64_t)line + 1);
    uint64_t known = map_get(&tally->leaf_index, key);
    if (known == 0) {
        tally->leaves = mem_grow(tally->leaves, tally->leaf_count, &tally->leaf_capacity,
                                 sizeof *tally->leaves);
        known = tally->leaf_count++;
        tally->leaves[known] = (struct leaf){0};
        map_put(&tally->leaf_index, key, known);
    }
    return (uint32_t)known;
}

// Keeps the sites that occur most: a new one takes the place of the rarest.
static void add_site(struct leaf *leaf, uint64_t site)
{
    size_t rarest = 0;
    for (size_t i = 0; i < SITE_MAX; i++) {
        if (leaf->sites[i] == site) {
            leaf->site_n[i] += 1;
            return;
        }
        if (leaf->site_n[i] < leaf->site_n[rarest]) {
            rarest = i;
        }
    }
    leaf->sites[rarest] = site;
    leaf->site_n[rarest] += 1;
}

static void add_to_leaf(struct leaf *leaf, const struct kind_verdict *verdict)
{
    switch (verdict->kind) {
    case KIND_EVAL:
        leaf->eval_n += 1;
        break;
    case KIND_NATIVE:
        leaf->native_n += 1;
        break;
    case KIND_HELPER:
        leaf->helper_n += 1;
        if (verdict->is_freeing) {
            leaf->free_n += 1;
        } else if (verdict->site != 0) {
            add_site(leaf, verdict->site);
        }
        break;
    case KIND_SYSTEM:
        break;
    }
}

static void add_pair(struct tally *tally, const struct tally_sample *sample, double seconds)
{
    uint64_t key = map_key(map_key(sample->leaf + 1, sample->spot + 1), sample->pool + 1);
    uint64_t known = map_get(&tally->pair_index, key);
    if (known == 0) {
        tally->pairs =
            mem_grow(tally->pairs, tally->pair_count, &tally->pair_capacity, sizeof *tally->pairs);
        tally->pairs[tally->pair_count++] =
            (struct pair){sample->leaf, sample->spot, sample->pool, 0};
        known = tally->pair_count;
        map_put(&tally->pair_index, key, known);
    }
    tally->pairs[known - 1].seconds += seconds;
}

// A uniform choice among all the line's samples, whatever their number.
static void keep_time(struct tally *tally, struct spot *spot, double time_s)
{
    size_t at = spot->sample_time_count;
    spot->sample_seen++;
    if (at < SAMPLE_TIMES_MAX) {
        if ((at & (at - 1)) == 0) {
            size_t room = at == 0 ? 1 : at * 2;
            spot->sample_times_s =
                mem_resize(spot->sample_times_s, room * sizeof *spot->sample_times_s);
        }
        spot->sample_time_count++;
    } else {
        tally->random = tally->random * RANDOM_MULTIPLIER + 1442695040888963407u;
        at = (size_t)((tally->random >> 33) % spot->sample_seen);
        if (at >= SAMPLE_TIMES_MAX) {
            return;
        }
    }
    spot->sample_times_s[at] = time_s;
}

static void add_to_spot(struct tally *tally, struct spot *spot, const struct tally_sample *sample,
                        double user_s)
{
    spot->times.system_s += sample->system_s;
    spot->spare_system_s += sample->system_spare_s;
    spot->times.sample_count += 1;
    spot->times.utilization_sum += sample->utilization;
    if (sample->verdict.kind == KIND_EVAL) {
        spot->times.python_s += user_s;
    } else if (sample->verdict.kind == KIND_NATIVE) {
        spot->times.native_s += user_s;
    }
    if (sample->is_main_thread) {
        keep_time(tally, spot, sample->time_s);
    }
}

void tally_add_sample(struct tally *tally, const struct tally_sample *sample)
{
    struct pool *pool = &tally->pools[sample->pool];
    double user_s = sample->weight_s - sample->system_s;
    pool->sampled_s += sample->weight_s;
    pool->system_s += sample->system_s;
    if (sample->leaf != 0) {
        add_to_leaf(&tally->leaves[sample->leaf], &sample->verdict);
    }
    if (sample->verdict.kind == KIND_HELPER && user_s > 0) {
        add_pair(tally, sample, user_s);
    }
    if (sample->spot != TALLY_NONE) {
        add_to_spot(tally, &tally->spots[sample->spot], sample, user_s);
        return;
    }
    pool->lost_system_s += sample->system_s;
    if (sample->verdict.kind == KIND_NATIVE) {
        pool->lost_native_s += user_s;
    } else if (sample->verdict.kind == KIND_EVAL) {
        pool->lost_s += user_s;
    }
}

void tally_add_wait(struct tally *tally, uint32_t pool, uint32_t spot, enum profile_wait kind,
                    double seconds)
{
    (void)pool;
    tally->spots[spot].times.wait_s[kind] += seconds; // spot 0 keeps those of no profiled line
}

void tally_add_idle(struct tally *tally, uint32_t spot, double seconds)
{
    if (spot == TALLY_NONE) {
        tally->idle_lost_s += seconds;
    } else {
        tally->spots[spot].times.idle_s += seconds;
    }
}

void tally_add_truth(struct tally *tally, uint32_t pool, double cpu_s, double system_s)
{
    tally->pools[pool].true_s += cpu_s;
    tally->pools[pool].true_system_s += system_s;
}

void tally_add_running(struct tally *tally, uint32_t pool, double cpu_s, double system_s)
{
    tally->pools[pool].running_s += cpu_s;
    tally->pools[pool].running_system_s += system_s;
}

static double pool_true_s(const struct pool *pool)
{
    return pool->true_s + pool->running_s;
}

static double pool_true_system_s(const struct pool *pool)
{
    double system = pool->true_system_s + pool->running_system_s;
    return system < pool_true_s(pool) ? system : pool_true_s(pool);
}

// A line whose samples all lie in one call of the loop's, apart from freeing, is one long operation
// (a product of huge numbers, `in` of a long list); so is one that hardly ever shows the loop.
double tally_helper_native(const struct tally *tally, uint32_t index)
{
    const struct leaf *leaf = &tally->leaves[index];
    double interpreted = leaf->eval_n + leaf->helper_n;
    double total = interpreted + leaf->native_n;
    if (index == 0 || interpreted <= 0) {
        return 0;
    }
    double top = 0;
    for (size_t i = 0; i < SITE_MAX; i++) {
        top = leaf->site_n[i] > top ? leaf->site_n[i] : top;
    }
    double outside = interpreted - top - leaf->free_n;
    bool is_known = interpreted >= HELPER_MIN || leaf->native_n > total / 2;
    if (is_known && top + leaf->free_n > 0 && outside <= NATIVE_SHARE * interpreted) {
        return 1;
    }
    bool hides_loop = leaf->eval_n < NATIVE_SHARE * interpreted;
    return leaf->helper_n >= EVAL_SHARE_MIN && hides_loop && interpreted >= HELPER_MIN ? 1 : 0;
}

// Filling: a copy of the spots' times with helpers decided, scaled to what each pool truly used.
struct fill {
    struct tally *tally;
    struct profile_times *times; // one a spot
    double scale[POOL_MAX];
    double lost_python_s;
    double lost_native_s;
    double lost_system_s;
};

static void decide_helpers(struct fill *fill)
{
    struct tally *tally = fill->tally;
    for (size_t i = 0; i < tally->pair_count; i++) {
        const struct pair *pair = &tally->pairs[i];
        double native = tally_helper_native(tally, pair->leaf);
        double seconds = pair->seconds;
        if (pair->spot == TALLY_NONE) {
            fill->lost_native_s += seconds * native * fill->scale[pair->pool];
            fill->lost_python_s += seconds * (1 - native) * fill->scale[pair->pool];
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

// Moves time between a line's own and the kernel's.
static void move_to_system(struct profile_times *times, double seconds)
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
}

// The kernel's own account of system time against ours: what is missing goes to the lines that
// were in the kernel, or were charged more than their samples showed; what is too much is taken
// back from all.
static void settle_system(struct fill *fill, uint32_t pool_index)
{
    struct tally *tally = fill->tally;
    const struct pool *pool = &tally->pools[pool_index];
    double ours = pool->system_s * fill->scale[pool_index];
    double missing = pool_true_system_s(pool) - ours;
    double spare = 0;
    for (size_t i = 1; i < tally->spot_count; i++) {
        if (tally->spots[i].pool == pool_index) {
            spare += fill->times[i].system_s + positive(tally->spots[i].spare_system_s);
        }
    }
    for (size_t i = 1; i < tally->spot_count && spare > 0; i++) {
        const struct spot *spot = &tally->spots[i];
        struct profile_times *times = &fill->times[i];
        if (spot->pool == pool_index) {
            double part = missing > 0 ? times->system_s + positive(spot->spare_system_s)
                                      : times->system_s * spare / (ours > 0 ? ours : spare);
            move_to_system(times, missing * part / spare);
        }
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

static void find_scales(struct fill *fill)
{
    struct tally *tally = fill->tally;
    for (size_t i = 0; i < tally->pool_count; i++) {
        const struct pool *pool = &tally->pools[i];
        double true_s = pool_true_s(pool);
        fill->scale[i] = pool->sampled_s > 0 && true_s > 0 ? true_s / pool->sampled_s : 1;
        fill->lost_python_s += pool->lost_s * fill->scale[i];
        fill->lost_native_s += pool->lost_native_s * fill->scale[i];
        fill->lost_system_s += pool->lost_system_s * fill->scale[i];
        if (pool->sampled_s <= 0) { // short threads that no sample met
            fill->lost_native_s += true_s - pool_true_system_s(pool);
            fill->lost_system_s += pool_true_system_s(pool);
        }
    }
}

// The function that a line is counted for: comprehensions and lambdas belong to the named function
// around them, code of a module to none.
static char *function_name(const struct spot *spot, const char *name, struct outline *outline,
                           int *first_line)
{
    *first_line = spot->first_line;
    if (strcmp(name, "<module>") == 0) {
        return NULL;
    }
    size_t len = strlen(name);
    if (len > 0 && name[len - 1] == '>') {
        return outline ? outline_enclosing_function(outline, spot->line, first_line) : NULL;
    }
    if (!spot->is_qualified && outline) {
        return outline_qualified_name(outline, spot->first_line, name);
    }
    return mem_copy_text(name);
}

static void add_line(struct fill *fill, struct profile_file *file, size_t index,
                     struct outline *outline)
{
    const struct spot *spot = &fill->tally->spots[index];
    const struct profile_times *times = &fill->times[index];
    struct profile_line *line = profile_line(file, spot->line);
    profile_times_add(&line->times, times);
    size_t room = SAMPLE_TIMES_MAX - line->sample_time_count;
    size_t count = spot->sample_time_count < room ? spot->sample_time_count : room;
    if (count > 0) {
        size_t total = line->sample_time_count + count;
        line->sample_times_s = mem_resize(line->sample_times_s, total * sizeof(double));
        memcpy(line->sample_times_s + line->sample_time_count, spot->sample_times_s,
               count * sizeof(double));
        line->sample_time_count = total;
    }
    int first_line;
    char *name =
        function_name(spot, fill->tally->functions.texts[spot->function], outline, &first_line);
    if (name) {
        profile_times_add(&profile_function(file, name, first_line)->times, times);
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
    lost.python_s += fill.lost_python_s;
    lost.native_s += fill.lost_native_s;
    lost.system_s += fill.lost_system_s;
    lost.idle_s += tally->idle_lost_s;
    profile_times_add(&profile->totals, &lost);
    profile->quality.cpu_unattributed_s += profile_times_cpu_s(&lost);
    add_variances(tally, profile);
    forget_running(tally);
    free(fill.times);
}
