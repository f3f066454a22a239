// SPDX-License-Identifier: Apache-2.0
#include "agent/copy_sampler.h"

#include <errno.h>
#include <stdatomic.h>
#include <string.h>

#include "agent/allocation.h"
#include "agent/clock.h"
#include "agent/copy_stream.h"
#include "agent/cpython/frames.h"
#include "agent/session.h"
#include "agent/thread.h"
#include "agent/vfork_child.h"

#define WINDOW_MIN   ((uint64_t)64 << 10)
#define WINDOW_MAX   ((uint64_t)8 << 20)
#define IDLE_BYTES   ((uint64_t)64 << 10) // before a thread that is not followed asks again
#define RATE_RECORDS 16u
#define FASTEST_NS   (RATE_RECORDS * 1000000u) // so many in less time are too many
#define SLOWEST_NS   8000000u                  // a record so long after the last could have more
#define TIMED_CALLS  64

_Thread_local uint64_t copy_sampler_left __attribute__((tls_model("initial-exec")));

static _Thread_local struct copy_stream copies __attribute__((tls_model("initial-exec")));

static struct {
    _Atomic uint64_t window;
    _Atomic uint32_t record_count;
    _Atomic uint64_t last_ns;  // of the last record
    _Atomic uint64_t since_ns; // when the last RATE_RECORDS began
} rate = {.window = WINDOW_MIN};

static void judge_rate(uint64_t now_ns)
{
    uint64_t window = atomic_load(&rate.window);
    uint64_t pause = now_ns - atomic_exchange(&rate.last_ns, now_ns);
    if (pause > SLOWEST_NS && window > WINDOW_MIN) {
        atomic_store(&rate.window, window / 2);
    }
    if (atomic_fetch_add(&rate.record_count, 1) % RATE_RECORDS != RATE_RECORDS - 1) {
        return;
    }
    uint64_t elapsed = now_ns - atomic_exchange(&rate.since_ns, now_ns);
    if (elapsed < FASTEST_NS && window < WINDOW_MAX) {
        atomic_store(&rate.window, window * 2);
    }
}

static void write_record(struct thread *thread, uint64_t bytes)
{
    struct ring *ring = session_ring();
    if (!ring || !session_is_on()) {
        return;
    }
    uint64_t now = clock_wall_ns();
    judge_rate(now);
    struct frames frames;
    frames_walk(&frames, ring);
    size_t frame_bytes = frames.count * sizeof(struct record_frame);
    struct record_copy *record = ring_reserve(ring, RECORD_COPY, sizeof *record + frame_bytes);
    if (!record) {
        ring_count(ring, COUNTER_dropped_full, 1);
        return;
    }
    record->time_ns = now;
    record->bytes = bytes;
    record->tid = thread->tid;
    record->flags = frames.flags & SAMPLE_IS_TRUNCATED ? ALLOCATION_IS_TRUNCATED : 0;
    record->frame_count = (uint16_t)frames.count;
    memcpy(record + 1, frames.list, frame_bytes);
    ring_commit(record);
}

static void pass(struct thread *thread, uint64_t len)
{
    if (copies.random == 0) {
        copies.random = (uint32_t)clock_cycles() | 1;
    }
    copies.left = copy_sampler_left;
    uint64_t window = atomic_load_explicit(&rate.window, memory_order_relaxed);
    uint64_t bytes = copy_stream_pass(&copies, len, window);
    copy_sampler_left = copies.left;
    if (bytes > 0) {
        write_record(thread, bytes);
    }
}

// What the agent itself copies, and a signal handler that has interrupted it, is left out.
__attribute__((noinline, cold)) void copy_sampler_reach(uint64_t len)
{
    struct thread *thread = &thread_self;
    if (vfork_child_runs || thread->is_busy) {
        return;
    }
    if (!allocation_is_on || !thread->is_begun) {
        copy_sampler_left = IDLE_BYTES;
        return;
    }
    int saved_errno = errno;
    thread->is_busy = true;
    bool is_timed = thread->call_number++ % TIMED_CALLS == 0;
    uint64_t began = is_timed ? clock_cpu_ns() : 0;
    pass(thread, len);
    if (is_timed) {
        session_count(COUNTER_memory_ns, (clock_cpu_ns() - began) * TIMED_CALLS);
    }
    thread_leave(thread);
    errno = saved_errno;
}
