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

#define IDLE_BYTES  (1u << 20) // after so many a thread looks whether sampling has begun
#define TIDY_PERIOD 128        // samples

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

static void tidy(void)
{
    probe_forget();
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
    sampling_mean_count();
    if (facts->block % TIDY_PERIOD == 0) {
        tidy();
    }
}

static void sample(const void *address, struct allocation_facts *facts, unsigned live_flags)
{
    CYCLES_OF_CALLER();
    struct recording recording;
    if (allocation_is_inner || !session_is_on() || !recording_begin(&recording)) {
        return;
    }
    live_flags |= facts->flags & ALLOCATION_IS_MAPPING ? LIVE_IS_MAPPING : 0u;
    live_flags |= facts->flags & ALLOCATION_IS_PYTHON ? LIVE_IS_PYTHON : 0u;
    follow(address, facts, live_flags);
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

void allocation_made(const void *address, size_t size, unsigned flags)
{
    struct allocation_thread *self = &allocation_self;
    if (__builtin_expect(self->watch != NULL, 0)) {
        note_watched(self->watch, address, size);
        return;
    }
    if (!is_sampling(&self->heap, size)) {
        return;
    }
    struct byte_draw draw = byte_sampler_draw(&self->heap, size, size, sampling_mean());
    if (draw.weight != 0) {
        struct allocation_facts facts = {
            .size = size,
            .added = draw.weight,
            .weight = draw.weight,
            .flags = flags | (self->is_python ? ALLOCATION_IS_PYTHON : 0u),
        };
        sample(address, &facts, draw.is_exact ? LIVE_IS_EXACT : 0);
    }
}

void allocation_made_in_pool(const void *address, unsigned class)
{
    struct allocation_thread *self = &allocation_self;
    size_t size = class * 16;
    if (!is_sampling(&self->pool, size)) {
        return;
    }
    struct byte_draw draw = byte_sampler_draw_block(&self->pool, class, sampling_mean());
    if (draw.weight != 0) {
        struct allocation_facts facts = {
            .size = size,
            .added = draw.weight,
            .weight = draw.weight,
            .flags = ALLOCATION_IS_PYTHON,
        };
        sample(address, &facts, LIVE_IS_POOLED | (draw.is_exact ? LIVE_IS_EXACT : 0));
    }
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
    if (!is_sampling(&self->heap, size)) {
        return;
    }
    struct byte_draw draw = byte_sampler_draw(&self->heap, size, size - old_size, sampling_mean());
    if (draw.weight != 0) {
        struct allocation_facts facts = {
            .size = size,
            .added = draw.weight,
            .weight = draw.is_exact ? size : draw.weight,
            .flags = self->is_python ? ALLOCATION_IS_PYTHON : 0u,
        };
        sample(address, &facts, draw.is_exact ? LIVE_IS_EXACT : 0);
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
    allocation_self = (struct allocation_thread){0};
    allocation_is_on = true;
}

void allocation_forked(void)
{
    if (allocation_is_on) {
        live_table_clear();
        thinning_forked();
        allocation_self.is_busy = false;
        atomic_store(&last_number, 0);
    }
}

void allocation_watch_begin(struct allocation_watch *watch)
{
    watch->count = 0;
    allocation_self.heap = (struct byte_sampler){0};
    allocation_self.watch = watch;
}

void allocation_watch_end(void)
{
    allocation_self.watch = NULL;
}
