// SPDX-License-Identifier: Apache-2.0
#include "collect/tally.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "collect/tally_data.h"

#define ONE_CAUTION       1.5  // before a line's helpers are judged by their instruction
#define LOOP_CAUTION      2.0  // before they are judged by the loop alone
#define STRAY_CAUTION     0.8  // for each sample that lies elsewhere
#define NATIVE_SHARE      0.03 // of the line outside one call: it is that one operation
#define RANDOM_MULTIPLIER 6364136223846793005u
#define SPOT_MAX          50000u // a profile of more lines helps nobody
#define LEAF_MAX          100000u
#define PAIR_MAX          200000u

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
        profile_async_clear(&tally->spots[i].async);
    }
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
    uint64_t key = map_key(map_key_of_text(command), start_routine);
    uint64_t known = map_get(&tally->pool_index, key);
    if (known != 0) {
        return (uint32_t)known - 1;
    }
    if (tally->pool_count == TALLY_POOL_MAX) {
        return TALLY_POOL_MAX - 1;
    }
    map_put(&tally->pool_index, key, ++tally->pool_count);
    return (uint32_t)tally->pool_count - 1;
}

uint32_t tally_spot(struct tally *tally, uint32_t pool, const struct tally_place *place)
{
    uint64_t key = map_key(map_key(place->code_key, (uint64_t)place->line), pool + 1);
    uint64_t known = map_get(&tally->spot_index, key);
    if (known != 0) {
        return (uint32_t)known;
    }
    if (tally->spot_count == SPOT_MAX) {
        tally->has_lines_left_out = true;
        return TALLY_NONE;
    }
    tally->spots =
        mem_grow(tally->spots, tally->spot_count, &tally->spot_capacity, sizeof *tally->spots);
    known = tally->spot_count++;
    tally->spots[known] = (struct spot){
        .pool = pool,
        .path = names_add(&tally->paths, place->path, strlen(place->path)),
        .function = names_add(&tally->functions, place->function, strlen(place->function)),
        .line = place->line,
        .first_line = place->first_line,
        .is_qualified = place->is_qualified,
        .async.is_coroutine = place->is_coroutine,
    };
    map_put(&tally->spot_index, key, known);
    return (uint32_t)known;
}

uint32_t tally_leaf(struct tally *tally, uint64_t code_key, int line)
{
    uint64_t key = map_key(code_key, (uint64_t)line + 1);
    uint64_t known = map_get(&tally->leaf_index, key);
    if (known == 0 && tally->leaf_count < LEAF_MAX) {
        tally->leaves = mem_grow(tally->leaves, tally->leaf_count, &tally->leaf_capacity,
                                 sizeof *tally->leaves);
        known = tally->leaf_count++;
        tally->leaves[known] = (struct leaf){0};
        map_put(&tally->leaf_index, key, known);
    }
    return (uint32_t)known;
}

// Keeps the instructions that occur most: a new one takes the place of the rarest. Where in the
// loop the helper was called from would not do: it is another place once the instruction is
// specialised.
static void add_instruction(struct leaf *leaf, int32_t instruction)
{
    size_t rarest = 0;
    for (size_t i = 0; i < TALLY_INSTRUCTION_MAX; i++) {
        if (leaf->instructions[i] == instruction) {
            leaf->instruction_n[i] += 1;
            return;
        }
        if (leaf->instruction_n[i] < leaf->instruction_n[rarest]) {
            rarest = i;
        }
    }
    leaf->instructions[rarest] = instruction;
    leaf->instruction_n[rarest] += 1;
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
        } else {
            add_instruction(leaf, verdict->instruction);
        }
        break;
    case KIND_SYSTEM:
        break;
    }
}

static void add_pair(struct tally *tally, const struct tally_sample *sample, double seconds)
{
    uint32_t leaf = sample->leaf;
    uint64_t rest = map_key(sample->spot + 1, sample->pool + 1);
    uint64_t known = map_get(&tally->pair_index, map_key(leaf + 1, rest));
    if (known == 0 && tally->pair_count >= PAIR_MAX) {
        leaf = 0;
        known = map_get(&tally->pair_index, map_key(leaf + 1, rest));
    }
    if (known == 0) {
        tally->pairs =
            mem_grow(tally->pairs, tally->pair_count, &tally->pair_capacity, sizeof *tally->pairs);
        tally->pairs[tally->pair_count++] = (struct pair){leaf, sample->spot, sample->pool, 0};
        known = tally->pair_count;
        map_put(&tally->pair_index, map_key(leaf + 1, rest), known);
    }
    tally->pairs[known - 1].seconds += seconds;
}

// A uniform choice among all the line's samples, whatever their number.
static void keep_time(struct tally *tally, struct spot *spot, double time_s)
{
    size_t at = spot->sample_time_count;
    spot->sample_seen++;
    if (at < TALLY_TIMES_MAX) {
        if ((at & (at - 1)) == 0) {
            size_t room = at == 0 ? 1 : at * 2;
            spot->sample_times_s =
                mem_resize(spot->sample_times_s, room * sizeof *spot->sample_times_s);
        }
        spot->sample_time_count++;
    } else {
        tally->random = tally->random * RANDOM_MULTIPLIER + 1442695040888963407u;
        at = (size_t)((tally->random >> 33) % spot->sample_seen);
        if (at >= TALLY_TIMES_MAX) {
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

void tally_add_unseen(struct tally *tally, uint32_t pool, double seconds, double system_s)
{
    tally->pools[pool].sampled_s += seconds;
    tally->pools[pool].system_s += system_s;
    tally->pools[pool].unseen_s += seconds;
}

void tally_add_wait(struct tally *tally, uint32_t pool, uint32_t spot, enum profile_wait kind,
                    double seconds)
{
    (void)pool;
    tally->spots[spot].times.wait_s[kind] += seconds; // spot 0 keeps those of no profiled line
}

void tally_add_gpu(struct tally *tally, uint32_t spot, const struct profile_gpu *part)
{
    profile_gpu_add(&tally->spots[spot].gpu, part); // spot 0 keeps what no profiled line saw
}

void tally_add_idle(struct tally *tally, uint32_t spot, double seconds)
{
    if (spot == TALLY_NONE) {
        tally->idle_lost_s += seconds;
    } else {
        tally->spots[spot].times.idle_s += seconds;
    }
}

void tally_add_await(struct tally *tally, uint32_t spot, const struct profile_async *part,
                     bool is_final)
{
    struct spot *to = &tally->spots[spot]; // spot 0 keeps what no profiled line waited for
    profile_async_add(is_final ? &to->async : &to->running, part);
}

double tally_await_elsewhere_s(const struct tally *tally)
{
    return tally->spots[TALLY_NONE].async.await_s + tally->spots[TALLY_NONE].running.await_s;
}

void tally_add_task_name(struct tally *tally, uint32_t spot, const char *name)
{
    if (spot != TALLY_NONE) {
        profile_async_add_name(&tally->spots[spot].async, name);
    }
}

void tally_add_block(struct tally *tally, uint32_t spot, double seconds)
{
    struct profile_async part = {.block_count = 1, .block_s = seconds, .block_longest_s = seconds};
    profile_async_add(&tally->spots[spot].async, &part);
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

// At most 3 %, beyond chance: a line that spends 6 % in the loop shows that few, with a caution of
// 1.5, less than once in twenty times: 50 samples with none, 77 with one, 104 with two. With 2 it
// takes 67 samples without any.
static bool is_rare(double seen, double among, double caution)
{
    double most = NATIVE_SHARE * among;
    return seen <= most && caution + STRAY_CAUTION * seen <= most;
}

// A line whose samples all lie in one instruction's call, apart from freeing, is one long operation
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
    for (size_t i = 0; i < TALLY_INSTRUCTION_MAX; i++) {
        top = fmax(top, leaf->instruction_n[i]);
    }
    double outside = interpreted - top - leaf->free_n;
    bool is_mostly_native = leaf->native_n > total / 2;
    bool is_one_operation = is_mostly_native ? outside <= NATIVE_SHARE * total
                                             : is_rare(outside, interpreted, ONE_CAUTION);
    if (is_one_operation && top + leaf->free_n > 0) {
        return 1;
    }
    return is_rare(leaf->eval_n, interpreted, LOOP_CAUTION) ? 1 : 0;
}
