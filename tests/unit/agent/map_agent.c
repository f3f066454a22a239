// SPDX-License-Identifier: Apache-2.0

// The hooks of mappings and copies without the rest of the agent: an agent for tests, to be
// preloaded. It adds up exactly what they report.

#include <stdatomic.h>

#include "agent/copy_sampler.h"
#include "agent/footprint.h"
#include "agent/hook.h"
#include "agent/mapped_block.h"
#include "agent/session.h"

#define COPIES_AT_ONCE 3000

struct session session = {.is_active = true, .has_memory = true};
_Thread_local int64_t footprint_owed;
_Thread_local uint32_t copy_sampler_left;
static __thread uint64_t granted; // what it was when it was last set

enum map_agent_sum {
    SUM_MEMORY,
    SUM_FILE,
    SUM_SHARED,
    SUM_BLOCKS,
    SUM_COPIES,
    SUM_UNTRACKED,
    SUM_COUNT
};

static _Atomic long sums[SUM_COUNT];

// What was added up so far, in the order above.
HOOK long map_agent_sum(unsigned which);

void footprint_settle(void)
{
    atomic_fetch_add(&sums[SUM_MEMORY], handler_safe_set(&footprint_owed, 0));
}

void footprint_add_file(int64_t bytes)
{
    atomic_fetch_add(&sums[SUM_FILE], bytes);
}

void footprint_add_shared(int64_t bytes)
{
    atomic_fetch_add(&sums[SUM_SHARED], bytes);
}

void session_count(enum ring_counter counter, uint64_t amount)
{
    (void)counter;
    atomic_fetch_add(&sums[SUM_UNTRACKED], amount);
}

// Every other thread's mappings are blocks, to see both kinds side by side.
bool mapped_block_is_wanted(void)
{
    return ((uintptr_t)&footprint_owed >> 14) % 2 == 0;
}

void mapped_block_made(uintptr_t start, size_t size)
{
    (void)start;
    atomic_fetch_add(&sums[SUM_BLOCKS], size);
}

void mapped_block_freed(uintptr_t start)
{
    (void)start;
}

struct live_slot *mapped_block_resize_begin(uintptr_t start)
{
    (void)start;
    return NULL;
}

void mapped_block_resize_end(struct live_slot *slot, const struct mapped_block_change *change)
{
    (void)slot;
    (void)change;
}

// As in earnest most copies are only subtracted; what was is added up here.
static void settle_copies(void)
{
    atomic_fetch_add(&sums[SUM_COPIES], (long)(granted - copy_sampler_left));
    granted = copy_sampler_left;
}

void copy_sampler_reach(uint64_t len)
{
    settle_copies();
    atomic_fetch_add(&sums[SUM_COPIES], (long)len);
    granted = copy_sampler_left = COPIES_AT_ONCE;
}

long map_agent_sum(unsigned which)
{
    footprint_settle();
    settle_copies();
    return atomic_load(&sums[which]);
}
