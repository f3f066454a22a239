// SPDX-License-Identifier: Apache-2.0
#include "agent/thinning.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "agent/allocation_record.h"
#include "agent/clock.h"
#include "agent/live_table.h"
#include "agent/sampling_mean.h"

#define BEGIN_COUNT \
    (LIVE_SLOTS / 8 * 5) // from three quarters on now and then both buckets are full
#define STEP_SLOTS 32u   // a pass takes 1,024 steps, and as many new blocks come meanwhile
#define SITES      256u
#define PROBES     31u

static atomic_bool is_at_work; // one at a time; the others just go on

static struct {
    unsigned cursor; // 0: no pass goes on
    uint64_t weight; // of those that stay
    float carry[SITES];
    bool has_carry;
} pass;

// Sites begin anywhere between 0 and 1: else each would lose its first block.
static void draw_carry(void)
{
    uint64_t random = clock_cycles() | 1;
    for (unsigned i = 0; i < SITES; i++) {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        pass.carry[i] = (float)(random >> 40) / (float)(1 << 24);
    }
    pass.has_carry = true;
}

static uint64_t weight_at(unsigned index)
{
    struct live_slot *slot = live_table_hold(index);
    if (!slot) {
        return 0;
    }
    uint64_t weight = live_slot_block(slot)->weight;
    if (!live_slot_unhold(slot)) {
        allocation_record_free(slot);
    }
    return weight;
}

// Twice the weight in the middle: of the light half then at least every second goes.
static uint64_t choose_weight(void)
{
    uint64_t weights[PROBES];
    unsigned count = 0;
    for (unsigned i = 0; i < LIVE_SLOTS && count < PROBES; i++) {
        unsigned index = (unsigned)((i * 2654435761u + clock_cycles()) % LIVE_SLOTS);
        uint64_t weight = weight_at(index);
        unsigned at = count;
        for (; weight != 0 && at > 0 && weights[at - 1] > weight; at--) {
            weights[at] = weights[at - 1];
        }
        if (weight != 0) {
            weights[at] = weight;
            count++;
        }
    }
    return count ? 2 * weights[count / 2] : 2;
}

// Whether the block stays, by its site's account; with room for the record or not at all.
static bool judge(struct live_block *block, bool *stays)
{
    float *carry = &pass.carry[block->site % SITES];
    float sum = *carry + (float)block->weight / (float)pass.weight;
    *stays = sum >= 1;
    if (!allocation_record_block(block->number, *stays ? pass.weight : 0, 0)) {
        return false;
    }
    *carry = *stays ? sum - 1 : sum;
    block->weight = pass.weight;
    block->flags &= (uint16_t)~LIVE_IS_EXACT;
    return true;
}

// False: the ring is full, and the pass goes on later.
static bool thin(unsigned index)
{
    struct live_slot *slot = live_table_hold(index);
    if (!slot) {
        return true;
    }
    struct live_block *block = live_slot_block(slot);
    bool stays = true;
    bool is_settled = block->weight >= pass.weight || block->flags & LIVE_IS_INHERITED;
    bool is_done = is_settled || judge(block, &stays);
    if (is_done && !stays) {
        live_slot_drop(slot);
    } else if (!live_slot_unhold(slot)) {
        allocation_record_free(slot);
    }
    return is_done;
}

static void advance(void)
{
    if (pass.cursor == 0) {
        pass.weight = choose_weight();
        if (!pass.has_carry) {
            draw_carry();
        }
    }
    for (unsigned i = 0; i < STEP_SLOTS; i++) {
        if (!thin(pass.cursor)) {
            return;
        }
        pass.cursor = (pass.cursor + 1) % LIVE_SLOTS;
    }
    if (pass.cursor == 0) {
        sampling_mean_raise(pass.weight);
    }
}

void thinning_step(void)
{
    bool is_needed = live_table_count() > BEGIN_COUNT || pass.cursor != 0;
    if (is_needed && !atomic_exchange(&is_at_work, true)) {
        advance();
        atomic_store(&is_at_work, false);
    }
}

void thinning_forked(void)
{
    pass.cursor = 0;
    atomic_store(&is_at_work, false);
}
