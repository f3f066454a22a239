// SPDX-License-Identifier: Apache-2.0
#include "agent/allocation_record.h"

#include <string.h>

#include "agent/clock.h"
#include "agent/cpython/frames.h"
#include "agent/cpython/interpreter.h"
#include "agent/footprint.h"
#include "agent/native_stack.h"
#include "agent/session.h"
#include "agent/thread.h"

#define NATIVE_STACK_MAX   (8 * 1024)
#define NATIVE_INTERVAL_NS 5000000u // from one native stack to the next, ...
#define NATIVE_LARGE       8u       // ... but for who has so much more than all since the last
#define RING_HALF_FULL     50
#define RING_KEPT_FULL     95       // percent; the rest is kept for ...
#define LARGE_BYTES        0x100000 // ... blocks that everybody would miss, and their ends

static void fill(struct record_allocation *record, const struct allocation_facts *facts)
{
    int32_t tid = thread_self.tid;
    record->time_ns = clock_wall_ns();
    record->block = facts->block;
    record->size = facts->size;
    record->added = facts->added;
    record->weight = facts->weight;
    record->mean = facts->mean;
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

// What is allocated between two native stacks counts for the first: that must not be a small block
// of nobody's when a large one follows.
static bool may_copy_stack(const struct ring *ring, uint64_t added)
{
    static _Atomic uint64_t last_ns;
    static _Atomic uint64_t since; // bytes, with those of the last
    uint64_t now = clock_wall_ns();
    uint64_t last = atomic_load_explicit(&last_ns, memory_order_relaxed);
    bool is_due = now - last > NATIVE_INTERVAL_NS ||
                  added / NATIVE_LARGE > atomic_load_explicit(&since, memory_order_relaxed);
    if (session.has_stacks && is_due && ring_fill_percent(ring) < RING_HALF_FULL &&
        atomic_compare_exchange_strong(&last_ns, &last, now)) {
        atomic_store_explicit(&since, added, memory_order_relaxed);
        return true;
    }
    atomic_fetch_add_explicit(&since, added, memory_order_relaxed);
    return false;
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

// Small blocks come in numbers, and fill the ring when the collector has to wait for a core.
static bool has_room(const struct ring *ring, uint64_t weight)
{
    return weight >= LARGE_BYTES || ring_fill_percent(ring) < RING_KEPT_FULL;
}

static bool write_any(struct ring *ring, struct allocation_facts *facts)
{
    if (!has_room(ring, facts->weight)) {
        return false;
    }
    if (interpreter_thread().state != 0) {
        return write_python(ring, facts);
    }
    return may_copy_stack(ring, facts->added) ? write_native(ring, facts) : write_bare(ring, facts);
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
    bool is_written = write_any(ring, facts);
    if (!is_written) {
        ring_count(ring, COUNTER_dropped_full, 1);
        ring_count(ring, COUNTER_dropped_allocations, 1);
        ring_count(ring, COUNTER_missed_bytes, facts->added);
    }
    return is_written;
}

bool allocation_record_block(uint64_t block, uint64_t weight, unsigned flags)
{
    struct ring *ring = session_ring();
    bool is_over = flags & (BLOCK_IS_FREED | BLOCK_IS_LOST);
    if (!ring || (!is_over && !has_room(ring, weight))) {
        return false;
    }
    struct record_block *record = ring_reserve(ring, RECORD_BLOCK, sizeof *record);
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

static bool write_free(const struct live_block *block)
{
    struct ring *ring = session_ring();
    return ring && has_room(ring, block->weight) &&
           allocation_record_block(block->number, 0, BLOCK_IS_FREED);
}

// What the parent of this process holds is not in its sum, and so cannot leave it.
void allocation_record_free(struct live_slot *slot)
{
    const struct live_block *block = live_slot_block(slot);
    if (block->flags & LIVE_IS_INHERITED) {
        footprint_owe((int64_t)block->weight); // settled with its free
        live_slot_release(slot);
    } else if (write_free(block)) {
        live_slot_release(slot);
    } else {
        live_slot_leave_untold(slot);
    }
}
