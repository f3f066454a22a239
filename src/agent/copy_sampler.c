// SPDX-License-Identifier: Apache-2.0
#include "agent/copy_sampler.h"

#include <stdatomic.h>
#include <string.h>

#include "agent/allocation.h"
#include "agent/byte_stretch.h"
#include "agent/clock.h"
#include "agent/cpython/frames.h"
#include "agent/cycles.h"
#include "agent/recording.h"
#include "agent/session.h"
#include "agent/thread.h"
#include "agent/vfork_child.h"

#define WINDOW_MIN   (64u << 10)
#define WINDOW_MAX   (8u << 20)
#define IDLE_BYTES   (64u << 10) // before a thread that is not followed asks again
#define RATE_RECORDS 16u
#define FASTEST_NS   (RATE_RECORDS * 2000000u) // so many in less CPU time are too many
#define SLOWEST_NS   16000000u                 // a record so long after the last could have more

_Thread_local uint32_t copy_sampler_left __attribute__((tls_model("initial-exec")));

static _Thread_local struct {
    struct byte_stretch stretch;
    uint64_t random;
} copies __attribute__((tls_model("initial-exec")));

static struct {
    _Atomic uint32_t window;
    _Atomic uint32_t record_count;
    _Atomic uint64_t last_cpu;  // of the last record
    _Atomic uint64_t since_cpu; // when the last RATE_RECORDS began
} rate = {.window = WINDOW_MIN};

// As with allocations, it is CPU time that records cost, and CPU time that they are rationed by.
static void judge_rate(void)
{
    uint32_t window = atomic_load(&rate.window);
    uint64_t cpu = clock_process_cpu_ns();
    uint64_t pause = cpu - atomic_exchange(&rate.last_cpu, cpu);
    if (pause > SLOWEST_NS && window > WINDOW_MIN) {
        atomic_store(&rate.window, window / 2);
    }
    if (atomic_fetch_add(&rate.record_count, 1) % RATE_RECORDS != RATE_RECORDS - 1) {
        return;
    }
    uint64_t elapsed = cpu - atomic_exchange(&rate.since_cpu, cpu);
    if (elapsed < FASTEST_NS && window < WINDOW_MAX) {
        atomic_store(&rate.window, window * 2);
    }
}

static void write_record(uint64_t bytes)
{
    struct ring *ring = session_ring();
    if (!ring || !session_is_on()) {
        return;
    }
    judge_rate();
    struct frames frames;
    frames_walk_at_rest(&frames, ring);
    size_t frame_bytes = frames.count * sizeof(struct record_frame);
    struct record_copy *record = ring_reserve(ring, RECORD_COPY, sizeof *record + frame_bytes);
    if (!record) {
        ring_count(ring, COUNTER_dropped_full, 1);
        return;
    }
    record->time_ns = clock_wall_ns();
    record->bytes = bytes;
    record->tid = thread_self.tid;
    record->flags = frames.flags & SAMPLE_IS_TRUNCATED ? ALLOCATION_IS_TRUNCATED : 0;
    record->frame_count = (uint16_t)frames.count;
    memcpy(record + 1, frames.list, frame_bytes);
    ring_commit(record);
}

// The bytes that a copy stands for.
static uint64_t pass(uint64_t len)
{
    uint32_t window = atomic_load_explicit(&rate.window, memory_order_relaxed);
    struct byte_stretch *stretch = &copies.stretch;
    if (stretch->mean == 0) {
        uint64_t chance = byte_stretch_random(&copies.random);
        byte_stretch_begin(stretch, &copy_sampler_left, chance, window);
    }
    return len >= stretch->mean
               ? len
               : byte_stretch_pass(stretch, &copy_sampler_left, len, window, &copies.random);
}

// What the agent itself copies, and a signal handler that has interrupted it, is left out.
__attribute__((noinline, cold)) void copy_sampler_reach(uint64_t len)
{
    CYCLES_OF_CALLER();
    if (vfork_child_runs || thread_self.is_busy) {
        return;
    }
    if (!allocation_is_on || !thread_is_begun(&thread_self)) {
        copy_sampler_left = IDLE_BYTES;
        return;
    }
    struct recording recording;
    if (!recording_begin(&recording)) {
        return;
    }
    uint64_t bytes = pass(len);
    if (bytes > 0) {
        write_record(bytes);
    }
    recording_end(&recording);
}
