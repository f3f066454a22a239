// SPDX-License-Identifier: Apache-2.0
#include "agent/allocation_record.h"

#include <string.h>

#include "agent/clock.h"
#include "agent/cpython/frames.h"
#include "agent/cpython/interpreter.h"
#include "agent/native_stack.h"
#include "agent/sampling_mean.h"
#include "agent/session.h"
#include "agent/thread.h"

#define NATIVE_STACK_MAX   (8 * 1024)
#define NATIVE_INTERVAL_NS 5000000u // from one native stack to the next
#define RING_HALF_FULL     50

static void fill(struct record_allocation *record, const struct allocation_facts *facts)
{
    int32_t tid = thread_self.tid;
    record->time_ns = clock_wall_ns();
    record->block = facts->block;
    record->size = facts->size;
    record->added = facts->added;
    record->weight = facts->weight;
    record->mean = sampling_mean();
    record->tid = tid ? tid : raw_gettid();
    record->flags = (uint16_t)facts->flags;
    record->frame_count = 0;
    record->stack_len = 0;
    record->reserved = 0;
}

static struct record_allocation *reserve(struct ring *ring, size_t bytes_after)
{
    return ring_reserve(ring, RECORD_ALLOCATION, sizeof(struct record_allocation) + bytes_after);
}

static bool write_bare(struct ring *ring, const struct allocation_facts *facts)
{
    struct record_allocation *record = reserve(ring, 0);
    if (record) {
        fill(record, facts);
        ring_commit(record);
    }
    return record != NULL;
}

// The innermost frames tell one place from another well enough.
static uint16_t site_of(const struct frames *frames)
{
    uint64_t hash = frames->count;
    for (size_t i = 0; i < frames->count && i < 3; i++) {
        const struct record_frame *frame = &frames->list[i];
        hash = (hash ^ ((uint64_t)frame->code_id << 32 | (uint32_t)frame->offset)) *
               0x9e3779b97f4a7c15u;
    }
    return (uint16_t)(hash >> 48);
}

static bool write_python(struct ring *ring, struct allocation_facts *facts)
{
    struct frames frames;
    frames_walk_at_rest(&frames, ring);
    facts->site = site_of(&frames);
    if (frames.flags & SAMPLE_IS_TRUNCATED) {
        facts->flags |= ALLOCATION_IS_TRUNCATED;
        ring_count(ring, COUNTER_stacks_truncated, 1);
    }
    size_t bytes = frames.count * sizeof(struct record_frame);
    struct record_allocation *record = reserve(ring, bytes);
    if (record) {
        fill(record, facts);
        record->frame_count = (uint16_t)frames.count;
        memcpy(record + 1, frames.list, bytes);
        ring_commit(record);
    }
    return record != NULL;
}

static bool may_copy_stack(const struct ring *ring)
{
    static _Atomic uint64_t last_ns;
    uint64_t now = clock_wall_ns();
    uint64_t last = atomic_load_explicit(&last_ns, memory_order_relaxed);
    return session.has_stacks && now - last > NATIVE_INTERVAL_NS &&
           ring_fill_percent(ring) < RING_HALF_FULL &&
           atomic_compare_exchange_strong(&last_ns, &last, now);
}

// A thread that Python does not know has only its native stack to tell where it is.
static __attribute__((noinline)) bool write_native(struct ring *ring,
                                                   const struct allocation_facts *facts)
{
    uint64_t registers[RECORD_REGISTER_COUNT];
    native_stack_registers(registers);
    uintptr_t start = (uintptr_t)registers[NATIVE_STACK_POINTER] - RECORD_RED_ZONE;
    size_t len = native_stack_len(&thread_self, start, NATIVE_STACK_MAX);
    struct record_allocation *record = len ? reserve(ring, sizeof registers + len) : NULL;
    if (!record) {
        return write_bare(ring, facts);
    }
    fill(record, facts);
    record->stack_len = (uint32_t)len;
    memcpy(record + 1, registers, sizeof registers);
    memcpy((char *)(record + 1) + sizeof registers, (const void *)start, len);
    ring_commit(record);
    return true;
}

bool allocation_record_write(struct allocation_facts *facts)
{
    struct ring *ring = session_ring();
    if (!ring) {
        return false;
    }
    if (facts->flags & ALLOCATION_KEEPS_STACK) {
        return write_bare(ring, facts);
    }
    ring_count(ring, COUNTER_memory_samples, 1);
    bool is_written;
    if (interpreter_thread().state != 0) {
        is_written = write_python(ring, facts);
    } else if (may_copy_stack(ring)) {
        is_written = write_native(ring, facts);
    } else {
        is_written = write_bare(ring, facts);
    }
    if (!is_written) {
        ring_count(ring, COUNTER_dropped_full, 1);
        ring_count(ring, COUNTER_dropped_allocations, 1);
    }
    return is_written;
}

bool allocation_record_block(uint64_t block, uint64_t weight, unsigned flags)
{
    struct ring *ring = session_ring();
    struct record_block *record = ring ? ring_reserve(ring, RECORD_BLOCK, sizeof *record) : NULL;
    if (!record) {
        return false;
    }
    record->time_ns = clock_wall_ns();
    record->block = block;
    record->weight = weight;
    record->flags = flags | (interpreter_is_finalizing() ? BLOCK_AT_END : 0u);
    record->reserved = 0;
    ring_commit(record);
    return true;
}

// What it has grown by since it was last recorded goes first.
static bool write_free(struct live_block *block)
{
    if (block->flags & LIVE_IS_EXACT && block->size > block->weight) {
        struct allocation_facts facts = {
            .block = block->number,
            .size = block->size,
            .added = block->size - block->weight,
            .weight = block->size,
            .flags = ALLOCATION_IS_GROWTH | ALLOCATION_KEEPS_STACK,
        };
        facts.flags |= block->flags & LIVE_IS_PYTHON ? ALLOCATION_IS_PYTHON : 0u;
        if (!allocation_record_write(&facts)) {
            return false;
        }
        block->weight = block->size;
    }
    return allocation_record_block(block->number, 0, BLOCK_IS_FREED);
}

void allocation_record_free(struct live_slot *slot)
{
    if (write_free(live_slot_block(slot))) {
        live_slot_release(slot);
    } else {
        live_slot_leave_untold(slot);
    }
}
