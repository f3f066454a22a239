// SPDX-License-Identifier: Apache-2.0
#pragma once

// The recorded blocks that are still allocated, by address. A free of anything else costs one load,
// as a filter tells it from these. Nobody waits for anybody: a slot is one word, changed by compare
// and swap, and what it stands for is its holder's alone until it is let go.
// Address reuse needs no care: a block is taken out before it is really freed, and put in after it
// was really allocated.
// Context: any thread, signal handler

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define LIVE_BUCKETS     4096u
#define LIVE_BUCKET_KEYS 8u // a cache line
#define LIVE_SLOTS       (LIVE_BUCKETS * LIVE_BUCKET_KEYS)
#define LIVE_FILTER_SIZE (1u << 18)
#define LIVE_LARGE       (1u << 20) // bytes

enum live_flag {
    LIVE_IS_EXACT = 1,      // its weight is its size, or nearly
    LIVE_IS_POOLED = 2,     // a block of the interpreter's small-object allocator
    LIVE_IS_MAPPING = 4,    // by mmap
    LIVE_IS_PYTHON = 8,     // asked for through the interpreter's allocators
    LIVE_IS_BESIDE = 16,    // taken from malloc in place of a pool
    LIVE_IS_INHERITED = 32, // of the parent process: it is in no record, and only its free counts
};

struct live_block {
    uint64_t number;   // in the records
    uint64_t weight;   // as recorded last
    uint64_t size;     // when it was allocated
    uint32_t stack_kb; // its size when its stack was taken
    uint16_t site;     // tells apart who allocated, for thinning
    uint16_t flags;    // enum live_flag
};

// A size as `stack_kb` has it, rounded up.
uint32_t live_block_kb(uint64_t size);

struct live_slot; // one place in the table

extern struct live_table {
    _Atomic uintptr_t keys[LIVE_BUCKETS][LIVE_BUCKET_KEYS];
    struct live_block blocks[LIVE_SLOTS];
    _Atomic uint8_t filter[LIVE_FILTER_SIZE];
} live_table;

// False: surely not there. Neighbouring blocks share a cache line of the filter.
static inline bool live_table_may_have(const void *address)
{
    uintptr_t index = (uintptr_t)address / 16 % LIVE_FILTER_SIZE;
    return __builtin_expect(
        atomic_load_explicit(&live_table.filter[index], memory_order_relaxed) != 0, 0);
}

// An empty slot for the address, the caller's until it is published or released; NULL when there is
// no room.
struct live_slot *live_table_claim(const void *address);

// Takes the block's slot out of sight, for its free or a realloc; NULL when it is not there, or
// when it is being thinned this moment, and whoever does that takes it out.
struct live_slot *live_table_take(const void *address);

// Whether it is there, and being thinned this moment.
bool live_table_is_held(const void *address);

// What a slot stands for; only its holder may look.
struct live_block *live_slot_block(struct live_slot *slot);

void live_slot_publish(struct live_slot *slot, const void *address);
void live_slot_release(struct live_slot *slot);

// The block is gone, but the collector could not be told yet: kept for live_table_take_untold.
void live_slot_leave_untold(struct live_slot *slot);

// The next such slot at or after `*cursor`, which moves on; NULL at the end.
struct live_slot *live_table_take_untold(unsigned *cursor);
bool live_table_has_untold(void);

unsigned live_table_count(void);

// Holds the live block at `index` (below LIVE_SLOTS) so that its weight can be changed; it stays in
// sight. NULL when there is none. live_slot_unhold returns false when it was freed meanwhile: the
// slot is then the caller's.
struct live_slot *live_table_hold(unsigned index);
bool live_slot_unhold(struct live_slot *slot);

// Instead of unhold: it is followed no longer, freed or not.
void live_slot_drop(struct live_slot *slot);

// In the child of a fork: it starts with none, but for what it has from its parent and knows to be
// of LIVE_LARGE or more.
void live_table_inherit(void);

void live_table_clear(void);
