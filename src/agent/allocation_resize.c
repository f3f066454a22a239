// SPDX-License-Identifier: Apache-2.0

// What becomes of a followed block when the program resizes it: see allocation.h.

#include "agent/allocation.h"
#include "agent/allocation_record.h"
#include "agent/recording.h"
#include "agent/sampling_mean.h"
#include "agent/session.h"
#include "agent/vfork_child.h"

#define SAME_PART 128 // growth or loss by less than this part is not recorded at once

struct live_slot *allocation_resize_begin(const void *address)
{
    return vfork_child_runs ? NULL : live_table_take(address);
}

// Written if there is room; then the block has its new weight, and with a stack of its own its new
// owner.
static void record_growth(struct live_block *block, const struct allocation_facts *grown)
{
    struct allocation_facts facts = *grown;
    facts.block = block->number;
    facts.flags |= ALLOCATION_IS_GROWTH;
    facts.flags |= allocation_self.is_python ? ALLOCATION_IS_PYTHON : 0u;
    if (!allocation_record_write(&facts)) {
        return;
    }
    block->weight = facts.weight;
    if (!(facts.flags & ALLOCATION_KEEPS_STACK)) {
        block->stack_kb = live_block_kb(facts.size);
        block->site = facts.site;
        sampling_mean_count();
    }
}

// A block that stands for itself, such as a text that grows letter by letter: all of its growth is
// recorded, but not at once, and with a stack only when it has grown by a quarter.
static void grow_exact(struct live_block *block, size_t size)
{
    block->size = size;
    uint64_t untold = size > block->weight ? size - block->weight : 0;
    bool needs_stack = size / 1024 > (uint64_t)block->stack_kb * 5 / 4;
    if (needs_stack || untold > size / SAME_PART) {
        unsigned flags = needs_stack ? 0 : ALLOCATION_KEEPS_STACK;
        record_growth(block, &(struct allocation_facts){
                                 .size = size, .added = untold, .weight = size, .flags = flags});
    }
}

static void grow(struct live_block *block, const struct allocation_resize *change)
{
    size_t size = change->size;
    if (block->flags & LIVE_IS_EXACT) {
        grow_exact(block, size);
        return;
    }
    struct byte_draw draw =
        byte_sampler_draw(&allocation_self.heap, size, size - change->old_size, sampling_mean());
    uint64_t weight = draw.is_exact ? size : block->weight + draw.weight;
    if (draw.weight != 0 || size / 1024 > (uint64_t)block->stack_kb * 5 / 4) {
        record_growth(block, &(struct allocation_facts){
                                 .size = size, .added = draw.weight, .weight = weight});
    }
    if (draw.is_exact && block->weight == weight) {
        block->flags |= LIVE_IS_EXACT;
        block->size = size;
    }
}

static void shrink(struct live_block *block, const struct allocation_resize *change)
{
    uint64_t weight = change->size;
    if (block->flags & LIVE_IS_EXACT) {
        if (block->size > block->weight) {
            record_growth(block, &(struct allocation_facts){.size = block->size,
                                                            .added = block->size - block->weight,
                                                            .weight = block->size,
                                                            .flags = ALLOCATION_KEEPS_STACK});
        }
        block->size = change->size;
        if (block->weight - weight <= block->weight / SAME_PART) {
            return;
        }
    } else {
        double part = (double)change->size / (double)change->old_size;
        weight = (uint64_t)((double)block->weight * part);
    }
    weight = weight ? weight : 1;
    if (allocation_record_block(block->number, weight, 0)) {
        block->weight = weight;
    }
}

// Gives the block its place under its address of now.
static void put_back(struct live_slot *slot, const struct allocation_resize *change)
{
    if (change->block == change->old) {
        live_slot_publish(slot, change->block);
        return;
    }
    struct live_slot *place = live_table_claim(change->block);
    if (place) {
        *live_slot_block(place) = *live_slot_block(slot);
        live_slot_publish(place, change->block);
        live_slot_release(slot);
    } else {
        session_count(COUNTER_blocks_lost, 1);
        allocation_record_block(live_slot_block(slot)->number, 0, BLOCK_IS_LOST);
        live_slot_release(slot);
    }
}

void allocation_resize_end(struct live_slot *slot, const struct allocation_resize *change)
{
    struct recording recording;
    bool is_recording = recording_begin(&recording);
    if (!change->block) {
        allocation_record_free(slot);
    } else {
        struct live_block *block = live_slot_block(slot);
        if (is_recording && change->size > change->old_size) {
            grow(block, change);
        } else if (change->size < change->old_size) {
            shrink(block, change);
        }
        put_back(slot, change);
    }
    if (is_recording) {
        recording_end(&recording);
    }
}
