// SPDX-License-Identifier: Apache-2.0
#include "agent/allocation.h"

#include <errno.h>

#include "agent/allocation_record.h"
#include "agent/cycles.h"
#include "agent/footprint.h"
#include "agent/probe.h"
#include "agent/recording.h"
#include "agent/sampling_mean.h"
#include "agent/session.h"
#include "agent/thinning.h"
#include "agent/vfork_child.h"

#define IDLE_BYTES    (1u << 20) // after so many a thread looks whether sampling has begun
#define TIDY_PERIOD   128        // samples
#define FORGET_PERIOD 2048       // samples

bool allocation_is_on;
_Thread_local bool allocation_is_inner __attribute__((tls_model("initial-exec")));
_Thread_local struct allocation_thread allocation_self __attribute__((tls_model("initial-exec")));

static _Atomic uint64_t last_number;

static void flush_untold(void)
{
    unsigned cursor = 0;
    struct live_slot *slot = live_table_take_untold(&cursor);
    for (; slot; slot = live_table_take_untold(&cursor)) {
        allocation_record_free(slot);
        if (live_table_has_untold() && ring_fill_percent(session_ring()) > 90) {
            return;
        }
    }
}

static void tidy(uint64_t number)
{
    if (number % FORGET_PERIOD == 0) {
        probe_forget();
    }
    if (live_table_has_untold()) {
        flush_untold();
    }
}

// Writes the record of a new block and follows it from now on. The slot is had first and shown
// last, so that nothing is half known: to the collector or to whoever frees the block.
static void follow(const void *address, struct allocation_facts *facts, unsigned live_flags)
{
    if (live_table_may_have(address)) {
        allocation_freed(address); // its free went unseen
    }
    thinning_step();
    struct live_slot *slot = live_table_claim(address);
    if (!slot) {
        session_count(COUNTER_memory_samples, 1);
        session_count(COUNTER_dropped_allocations, 1);
        session_count(COUNTER_missed_bytes, facts->added);
        return;
    }
    facts->block = atomic_fetch_add_explicit(&last_number, 1, memory_order_relaxed) + 1;
    if (!allocation_record_write(facts)) {
        live_slot_release(slot);
        return;
    }
    *live_slot_block(slot) = (struct live_block){
        .number = facts->block,
        .weight = facts->weight,
        .size = facts->size,
        .stack_kb = live_block_kb(facts->size),
        .site = facts->site,
        .flags = (uint16_t)live_flags,
    };
    live_slot_publish(slot, address);
    sampling_mean_count(session_ring());
    if (facts->block % TIDY_PERIOD == 0) {
        tidy(facts->block);
    }
}

// Records a block that a point was found in. A thread that is in the agent already, in a signal
// handler that has interrupted it, can record nothing but how many bytes these were.
static void take(const void *address, const struct byte_draw *draw, size_t size, unsigned flags,
                 unsigned live_flags)
{
    CYCLES_OF_CALLER();
    struct recording recording;
    if (draw->weight == 0 || allocation_is_inner || !session_is_on()) {
        return;
    }
    if (!recording_begin(&recording)) {
        session_count(COUNTER_missed_bytes, draw->weight);
        return;
    }
    struct allocation_facts facts = {
        .size = size,
        .added = draw->weight,
        .weight = draw->weight,
        .mean = draw->mean,
        .flags = flags,
    };
    live_flags |= draw->is_exact ? LIVE_IS_EXACT : 0u;
    live_flags |= flags & ALLOCATION_IS_MAPPING ? LIVE_IS_MAPPING : 0u;
    live_flags |= flags & ALLOCATION_IS_PYTHON ? LIVE_IS_PYTHON : 0u;
    follow(address, &facts, live_flags);
    recording_end(&recording);
}

static void note_watched(struct allocation_watch *watch, const void *address, size_t size)
{
    if (watch->count < sizeof watch->starts / sizeof *watch->starts) {
        watch->starts[watch->count] = (uintptr_t)address;
        watch->sizes[watch->count++] = size;
    }
}

static bool is_sampling(struct byte_sampler *sampler, size_t size)
{
    if (__builtin_expect(!allocation_is_on, 0)) {
        byte_sampler_rest(sampler, size, IDLE_BYTES);
        return false;
    }
    return !vfork_child_runs && !allocation_self.is_busy;
}

static unsigned owner_flag(void)
{
    return allocation_self.is_python ? ALLOCATION_IS_PYTHON : 0u;
}

void allocation_made(const void *address, size_t size, unsigned flags)
{
    struct allocation_thread *self = &allocation_self;
    if (__builtin_expect(self->watch != NULL, 0)) {
        note_watched(self->watch, address, size);
        return;
    }
    if (is_sampling(&self->heap, size)) {
        struct byte_draw draw = byte_sampler_draw(&self->heap, size, size, sampling_mean());
        take(address, &draw, size, flags | owner_flag(), 0);
    }
}

struct byte_draw allocation_draw_in_pool(unsigned class)
{
    struct byte_sampler *pool = &allocation_self.pool;
    if (!is_sampling(pool, class * 16)) {
        return (struct byte_draw){0};
    }
    return byte_sampler_draw_block(pool, class, sampling_mean());
}

void allocation_made_in_pool(const void *address, unsigned class, const struct byte_draw *draw,
                             unsigned live_flags)
{
    take(address, draw, class * 16, ALLOCATION_IS_PYTHON, live_flags);
}

// In a vfork child the block stays in the table, until its address is used again.
void allocation_freed(const void *address)
{
    struct live_slot *slot = vfork_child_runs ? NULL : live_table_take(address);
    if (slot) {
        int saved_errno = errno;
        footprint_before_fall();
        allocation_record_free(slot);
        errno = saved_errno;
    }
}

void allocation_grew(const void *address, size_t old_size, size_t size)
{
    struct allocation_thread *self = &allocation_self;
    if (is_sampling(&self->heap, size)) {
        struct byte_draw draw =
            byte_sampler_draw(&self->heap, size, size - old_size, sampling_mean());
        if (draw.is_exact) {
            draw.weight = size; // nothing was told of it before: it stands for itself whole
        }
        take(address, &draw, size, owner_flag(), 0);
    }
}

void allocation_lose_pool(void)
{
    for (unsigned i = 0; i < LIVE_SLOTS; i++) {
        struct live_slot *slot = live_table_hold(i);
        if (!slot) {
            continue;
        }
        struct live_block *block = live_slot_block(slot);
        if (block->flags & LIVE_IS_POOLED) {
            session_count(COUNTER_blocks_lost, 1);
            allocation_record_block(block->number, 0, BLOCK_IS_LOST);
            live_slot_drop(slot);
        } else if (!live_slot_unhold(slot)) {
            allocation_record_free(slot);
        }
    }
}

void allocation_flush(void)
{
    if (allocation_is_on && live_table_has_untold()) {
        flush_untold();
    }
}

// This thread has rested until now.
void allocation_start(void)
{
    sampling_mean_start(session.control->allocation_mean);
    byte_sampler_clear(&allocation_self.heap);
    byte_sampler_clear(&allocation_self.pool);
    allocation_is_on = true;
}

void allocation_thread_ends(void)
{
    byte_sampler_end(&allocation_self.heap);
    byte_sampler_end(&allocation_self.pool);
}

static void begin_anew(void)
{
    thinning_forked();
    allocation_self.is_busy = false;
    atomic_store(&last_number, 0);
}

void allocation_forget(void)
{
    live_table_clear();
    begin_anew();
}

void allocation_forked(void)
{
    if (allocation_is_on) {
        live_table_inherit();
        begin_anew();
        sampling_mean_start(session.control->allocation_mean);
    }
}

void allocation_watch_begin(struct allocation_watch *watch)
{
    watch->count = 0;
    byte_sampler_clear(&allocation_self.heap);
    allocation_self.watch = watch;
}

void allocation_watch_end(void)
{
    allocation_self.watch = NULL;
}
