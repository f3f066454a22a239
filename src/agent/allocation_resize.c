// SPDX-License-Identifier: Apache-2.0

// What becomes of a followed block when the program resizes it: see allocation.h.

#include "agent/allocation.h"
#include "agent/allocation_record.h"
#include "agent/footprint.h"
#include "agent/recording.h"
#include "agent/sampling_mean.h"
#include "agent/session.h"
#include "agent/vfork_child.h"

#define HELD_LOOKS 1000 // some ten microseconds
#define SAME_PART  128  // growth or loss by less than this part is not recorded at once

// What is taken while it is held counts as freed, and a block that is resized is not. It is held
// for the time of a record; whoever holds it may have to wait for a core, and is not waited for
// then.
struct live_slot *allocation_resize_begin(const void *address)
{
    if (vfork_child_runs) {
        return NULL;
    }
    for (int i = 0; i < HELD_LOOKS && live_table_is_held(address); i++) {
    }
    return live_table_take(address);
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
        sampling_mean_count(session_ring());
    }
}

// A block that stands for itself, such as a text that grows letter by letter. What it grows by is
// allocated like anything else: by less than a stretch it is recorded where a point hits it, with
// what the point stands for. What it holds is told before it is off by much, without a stack.
static void grow_exact(struct live_block *block, size_t size, size_t added)
{
    struct byte_draw draw = byte_sampler_draw_growth(&allocation_self.heap, added, sampling_mean());
    bool is_hit = draw.weight != 0;
    uint64_t untold = size > block->weight ? size - block->weight : 0;
    if (is_hit || untold > size / SAME_PART) {
        unsigned chance = draw.is_exact ? 0 : ALLOCATION_BY_CHANCE;
        record_growth(block, &(struct allocation_facts){
                                 .size = size,
                                 .added = draw.weight,
                                 .weight = size,
                                 .mean = is_hit ? draw.mean : 1,
                                 .flags = is_hit ? chance : ALLOCATION_KEEPS_STACK,
                             });
    }
}

static void grow(struct live_block *block, const struct allocation_resize *change)
{
    size_t size = change->size;
    if (block->flags & LIVE_IS_EXACT) {
        grow_exact(block, size, size - change->old_size);
        return;
    }
    struct byte_draw draw =
        byte_sampler_draw(&allocation_self.heap, size, size - change->old_size, sampling_mean());
    uint64_t weight = draw.is_exact ? size : block->weight + draw.weight;
    if (draw.weight != 0 || size / 1024 > (uint64_t)block->stack_kb * 5 / 4) {
        // From here on it stands for itself: what chance has booked for it is made up for.
        uint64_t untold = size > block->weight ? size - block->weight : 0;
        record_growth(block,
                      &(struct allocation_facts){.size = size,
                                                 .added = draw.is_exact ? untold : draw.weight,
                                                 .weight = weight,
                                                 .mean = draw.mean});
    }
    if (draw.is_exact && block->weight == weight) {
        block->flags |= LIVE_IS_EXACT;
    }
}

static void shrink(struct live_block *block, const struct allocation_resize *change)
{
    uint64_t weight = change->size;
    if (block->flags & LIVE_IS_EXACT) {
        uint64_t known = block->weight;
        uint64_t off = known > weight ? known - weight : weight - known;
        if (off <= known / SAME_PART) {
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

// Its growth is this process's, what it loses its parent's.
static void resize_inherited(struct live_block *block, const struct allocation_resize *change)
{
    if (change->size < block->weight) {
        footprint_owe((int64_t)(block->weight - change->size));
        block->weight = change->size;
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
        return;
    }
    const struct live_block *block = live_slot_block(slot);
    if (!(block->flags & LIVE_IS_INHERITED)) {
        session_count(COUNTER_blocks_lost, 1);
        allocation_record_block(block->number, 0, BLOCK_IS_LOST);
    }
    live_slot_release(slot);
}

void allocation_resize_end(struct live_slot *slot, const struct allocation_resize *change)
{
    struct recording recording;
    bool is_recording = recording_begin(&recording);
    if (!change->block) {
        allocation_record_free(slot);
    } else {
        struct live_block *block = live_slot_block(slot);
        if (block->flags & LIVE_IS_INHERITED) {
            resize_inherited(block, change);
        } else if (is_recording && change->size > change->old_size) {
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
