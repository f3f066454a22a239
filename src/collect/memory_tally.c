// SPDX-License-Identifier: Apache-2.0
#include "collect/memory_tally.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "collect/memory_data.h"

#define LINE_MAX_COUNT 20000u // a profile of more lines helps nobody
#define CODE_MAX_COUNT 10000u
#define SITE_MAX_COUNT 40000u
#define LATE_S         0.01

static uint32_t add_account(struct memory_accounts *accounts, uint64_t key,
                            const struct memory_account *account)
{
    accounts->list =
        mem_grow(accounts->list, accounts->count, &accounts->capacity, sizeof *accounts->list);
    accounts->list[accounts->count] = *account;
    map_put(&accounts->index, key, accounts->count + 1);
    return (uint32_t)accounts->count++;
}

static uint32_t add_site(struct memory_tally *tally, uint64_t key, struct memory_site site)
{
    tally->sites =
        mem_grow(tally->sites, tally->site_count, &tally->site_capacity, sizeof *tally->sites);
    tally->sites[tally->site_count] = site;
    map_put(&tally->site_index, key, tally->site_count + 1);
    return (uint32_t)tally->site_count++;
}

struct memory_tally *memory_tally_new(void)
{
    struct memory_tally *tally = mem_alloc(sizeof *tally);
    const struct memory_account none = {0};
    names_add(&tally->paths, "", 0);
    names_add(&tally->functions, "", 0);
    add_account(&tally->code, 0, &none);
    for (uint32_t site = MEMORY_NATIVE; site <= MEMORY_ELSEWHERE; site++) {
        add_account(&tally->lines, site, &none);
        add_site(tally, site, (struct memory_site){site, 0});
    }
    return tally;
}

static void clear_accounts(struct memory_accounts *accounts)
{
    for (size_t i = 0; i < accounts->count; i++) {
        holding_clear(&accounts->list[i].holding);
    }
    free(accounts->list);
    map_clear(&accounts->index);
}

void memory_tally_free(struct memory_tally *tally)
{
    clear_accounts(&tally->lines);
    clear_accounts(&tally->code);
    holding_clear(&tally->all.holding);
    holding_clear(&tally->python);
    series_clear(&tally->footprint);
    names_clear(&tally->paths);
    names_clear(&tally->functions);
    map_clear(&tally->site_index);
    free(tally->sites);
    free(tally);
}

static uint32_t find_account(struct memory_tally *tally, struct memory_accounts *accounts,
                             uint64_t key, size_t most, const struct tally_place *place)
{
    uint64_t known = map_get(&accounts->index, key);
    if (known != 0) {
        return (uint32_t)known - 1;
    }
    if (accounts->count >= most) {
        return 0;
    }
    struct memory_account account = {
        .path = names_add(&tally->paths, place->path, strlen(place->path)),
        .function = names_add(&tally->functions, place->function, strlen(place->function)),
        .line = place->line,
        .first_line = place->first_line,
        .is_qualified = place->is_qualified,
    };
    return add_account(accounts, key, &account);
}

uint32_t memory_tally_site(struct memory_tally *tally, const struct tally_place *place)
{
    uint64_t key = map_key(place->code_key, (uint64_t)place->line + 1);
    uint64_t known = map_get(&tally->site_index, key);
    if (known != 0) {
        return (uint32_t)known - 1;
    }
    uint64_t line_key = map_key(map_key_of_text(place->path), (uint64_t)place->line + 1);
    uint32_t line = tally->site_count >= SITE_MAX_COUNT
                        ? 0
                        : find_account(tally, &tally->lines, line_key, LINE_MAX_COUNT, place);
    if (line == 0) {
        tally->has_lines_left_out = true;
        return MEMORY_ELSEWHERE;
    }
    uint32_t function = find_account(tally, &tally->code, place->code_key, CODE_MAX_COUNT, place);
    return add_site(tally, key, (struct memory_site){line, function});
}

uint32_t memory_tally_line(const struct memory_tally *tally, uint32_t site)
{
    return tally->sites[site].line;
}

void memory_tally_leak(struct memory_tally *tally, uint32_t line, struct profile_leak leak)
{
    profile_leak_add(&tally->lines.list[line].leak, leak);
}

// The accounts that a site's bytes go to. Valid until the next memory_tally_site.
struct targets {
    struct memory_account *accounts[3];
    size_t count;
};

static struct targets targets_of(struct memory_tally *tally, uint32_t index)
{
    const struct memory_site *site = &tally->sites[index];
    struct targets targets = {{&tally->all, &tally->lines.list[site->line]}, 2};
    if (site->function != 0) {
        targets.accounts[targets.count++] = &tally->code.list[site->function];
    }
    return targets;
}

// Of two points that follow each other one hit this account and the other did not: the bytes
// between them are its own or not, by chance. Half a distance squared each time is the variance of
// what one point in each distance tells (docs/memory.md).
static void note_turn(struct memory_tally *tally, uint32_t site, const struct memory_volume *volume)
{
    struct targets here = targets_of(tally, site);
    struct targets before = {.count = 0};
    if (volume->last_site != MEMORY_NO_SITE) {
        before = targets_of(tally, volume->last_site);
    }
    double half = (double)volume->distance * (double)volume->distance / 2;
    for (size_t i = 1; i < 3; i++) {
        struct memory_account *to = i < here.count ? here.accounts[i] : NULL;
        struct memory_account *from = i < before.count ? before.accounts[i] : NULL;
        if (to && to != from) {
            to->variance += half;
        }
        if (from && from != to) {
            from->variance += half;
        }
    }
}

void memory_tally_allocate(struct memory_tally *tally, uint32_t site,
                           const struct memory_volume *volume)
{
    struct targets targets = targets_of(tally, site);
    double added = (double)volume->added;
    for (size_t i = 0; i < targets.count; i++) {
        struct memory_account *account = targets.accounts[i];
        account->allocated += added;
        account->python += volume->is_python ? added : 0;
        account->count += added / (double)volume->size;
        account->distance = fmax(account->distance, (double)volume->edge);
        account->classes |= UINT64_C(1) << volume->class;
    }
    if (volume->distance != 0 && site != volume->last_site) {
        note_turn(tally, site, volume);
    }
    tally->event_count++;
}

void memory_tally_miss(struct memory_tally *tally, uint64_t bytes)
{
    tally->missed_bytes = (double)bytes;
}

// A block that stands for more than itself was chosen by chance.
static struct holding_sum sum_of(const struct block *block, uint64_t weight)
{
    double bytes = (double)weight;
    return (struct holding_sum){bytes, weight > block->size ? bytes * bytes : 0};
}

static void change(struct memory_tally *tally, const struct block *block, double time_s,
                   struct holding_sum more)
{
    struct targets targets = targets_of(tally, block->site);
    for (size_t i = 0; i < targets.count; i++) {
        holding_change(&targets.accounts[i]->holding, time_s, tally->peak_number, more);
    }
    if (block->is_python) {
        holding_change(&tally->python, time_s, tally->peak_number, more);
    }
}

// A process tells of a fall later than of the blocks freed in it. Until then it must not be thought
// to hold them at the peaks of others. (What it may hold more is not held against anybody.)
static double fall_of(const struct memory_level *level)
{
    return fmin(0, level->drift);
}

static void drift(struct memory_tally *tally, struct memory_level *level, double bytes)
{
    tally->level.drift -= fall_of(level);
    level->drift += bytes;
    tally->level.drift += fall_of(level);
}

// The record of a block may come after that of the footprint that it made highest.
static bool is_part_of_peak(const struct memory_tally *tally, const struct memory_level *level,
                            double time_s)
{
    return tally->peak_level == level && time_s <= tally->peak_s + LATE_S;
}

void memory_tally_hold(struct memory_tally *tally, struct memory_level *level,
                       const struct block *block, double time_s)
{
    change(tally, block, time_s, sum_of(block, block->weight));
    drift(tally, level, (double)block->weight);
    tally->peak_number += is_part_of_peak(tally, level, time_s) ? 1 : 0;
}

void memory_tally_reweigh(struct memory_tally *tally, struct memory_level *level,
                          const struct block *block, uint64_t weight, double time_s)
{
    struct holding_sum before = sum_of(block, block->weight);
    struct holding_sum now = sum_of(block, weight);
    change(tally, block, time_s,
           (struct holding_sum){now.bytes - before.bytes, now.square - before.square});
    drift(tally, level, now.bytes - before.bytes);
}

static void keep_to_the_end(struct memory_tally *tally, const struct block *block)
{
    struct targets targets = targets_of(tally, block->site);
    struct holding_sum sum = sum_of(block, block->weight);
    for (size_t i = 0; i < targets.count; i++) {
        targets.accounts[i]->at_end.bytes += sum.bytes;
        targets.accounts[i]->at_end.square += sum.square;
    }
}

void memory_tally_release(struct memory_tally *tally, struct memory_level *level,
                          const struct block *block, double time_s, enum memory_release how)
{
    struct holding_sum sum = sum_of(block, block->weight);
    change(tally, block, time_s, (struct holding_sum){-sum.bytes, -sum.square});
    drift(tally, level, -sum.bytes);
    if (how == MEMORY_ENDED) {
        keep_to_the_end(tally, block);
    }
    if (how != MEMORY_MOVED) {
        tally->peak_level = NULL;
    }
    tally->lost_bytes += how == MEMORY_LOST ? sum.bytes : 0;
    tally->event_count += how == MEMORY_FREED ? 1 : 0;
}

void memory_tally_copy(struct memory_tally *tally, uint32_t site, uint64_t bytes)
{
    struct targets targets = targets_of(tally, site);
    for (size_t i = 0; i < targets.count; i++) {
        targets.accounts[i]->copied += (double)bytes;
    }
}

static void reach(struct memory_tally *tally, const struct memory_level *level, double time_s,
                  double bytes)
{
    series_add(&tally->footprint, time_s, bytes);
    tally->level.peak_bytes = fmax(tally->level.peak_bytes, bytes);
    if (bytes > tally->seen_bytes) {
        tally->seen_bytes = bytes;
        tally->peak_number++;
        tally->peak_level = level;
        tally->peak_s = time_s;
    } else if (bytes < tally->seen_bytes) {
        tally->peak_level = NULL;
    }
}

// A peak that the process tells of only when it has passed counts, with what the others hold by
// now. Who held it is not known any more: that stays as of the highest moment seen itself.
void memory_tally_footprint(struct memory_tally *tally, struct memory_level *last,
                            const struct memory_level *level, double time_s)
{
    struct memory_level *all = &tally->level;
    all->drift -= fall_of(last);
    double others = fmax(0, all->bytes - last->bytes);
    double others_now = fmax(0, others + all->drift);
    if (level->peak_bytes > last->peak_bytes && level->peak_bytes > level->bytes) {
        all->peak_bytes = fmax(all->peak_bytes, others_now + level->peak_bytes);
        series_add(&tally->footprint, time_s, others_now + level->peak_bytes);
    }
    all->bytes = others + level->bytes;
    all->file_bytes = fmax(0, all->file_bytes + level->file_bytes - last->file_bytes);
    all->shared_bytes = fmax(0, all->shared_bytes + level->shared_bytes - last->shared_bytes);
    tally->file_peak_bytes = fmax(tally->file_peak_bytes, all->file_bytes);
    tally->shared_peak_bytes = fmax(tally->shared_peak_bytes, all->shared_bytes);
    reach(tally, last, time_s, others_now + level->bytes);
    *last = *level;
}
