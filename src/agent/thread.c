// SPDX-License-Identifier: Apache-2.0
#include "agent/thread.h"

#include <pthread.h>

#include "agent/clock.h"
#include "agent/cpu_sampler.h"
#include "agent/footprint.h"
#include "agent/session.h"

_Thread_local struct thread thread_self __attribute__((tls_model("initial-exec")));

static void announce(void *start_routine)
{
    struct ring *ring = session_ring();
    struct record_thread_begin *record =
        ring ? ring_reserve(ring, RECORD_THREAD_BEGIN, sizeof *record) : NULL;
    if (record) {
        record->time_ns = clock_wall_ns();
        record->start_routine = (uint64_t)(uintptr_t)start_routine;
        record->python_id = (uint64_t)pthread_self();
        record->tid = thread_self.tid;
        record->reserved = 0;
        ring_commit(record);
    }
}

static void start_clocks(struct thread *thread, uint64_t used_cpu_ns)
{
    thread->tid = raw_gettid();
    thread->waits.since_wall = clock_wall_ns();
    thread->waits.since_cpu = clock_cpu_ns();
    thread->call_number = (uint32_t)clock_cycles(); // which call is timed is chance
    cpu_sampler_start(&thread->cpu, used_cpu_ns);
}

struct wait_slot *thread_slot(struct thread *thread, bool may_make_ring)
{
    if (thread->slot || thread->has_no_slot || !session.has_waits) {
        return thread->slot;
    }
    struct ring *ring = may_make_ring || session_has_ring() ? session_ring() : NULL;
    if (!ring) {
        return NULL;
    }
    thread->slot = wait_table_claim(&ring->header->waits, thread->tid);
    thread->has_no_slot = !thread->slot;
    if (thread->has_no_slot) {
        ring_count(ring, COUNTER_threads_without_slot, 1);
    }
    return thread->slot;
}

void thread_begin(void *start_routine, uintptr_t stack_end)
{
    struct thread *thread = &thread_self;
    if (thread->is_begun) {
        return;
    }
    thread->is_busy = true;
    thread->tid = raw_gettid();
    thread->stack_end = stack_end;
    announce(start_routine);
    thread_slot(thread, false);
    thread->is_begun = true;
    start_clocks(thread, start_routine ? 0 : session.foreign_cpu_ns);
    thread->is_busy = false;
}

void thread_leave(struct thread *thread)
{
    thread->is_busy = false;
    if (thread->has_missed) {
        thread->has_missed = false;
        cpu_sampler_missed(&thread->cpu);
    }
}

static uint64_t ready_ns(void)
{
    char text[64];
    int fd = raw_openat(AT_FDCWD, "/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC, 0);
    if (fd < 0) {
        return 0;
    }
    long len = raw_read(fd, text, sizeof text);
    raw_close(fd);
    long at = 0;
    while (at < len && text[at] != ' ') {
        at++;
    }
    uint64_t value = 0;
    for (at++; at < len && text[at] >= '0' && text[at] <= '9'; at++) {
        value = value * 10 + (uint64_t)(text[at] - '0');
    }
    return value;
}

void thread_report(void)
{
    struct thread *thread = &thread_self;
    if (!thread->is_begun) {
        return;
    }
    bool was_busy = thread->is_busy;
    thread->is_busy = true;
    struct ring *ring = session_ring();
    struct record_thread_end *record =
        ring ? ring_reserve(ring, RECORD_THREAD_END, sizeof *record) : NULL;
    if (record) {
        struct rusage usage = {0};
        raw_getrusage(RUSAGE_THREAD, &usage);
        record->time_ns = clock_wall_ns();
        record->cpu_ns = clock_cpu_ns();
        record->user_us = clock_to_us(usage.ru_utime);
        record->system_us = clock_to_us(usage.ru_stime);
        record->ready_ns = ready_ns();
        record->tid = thread->tid;
        record->reserved = 0;
        ring_commit(record);
    }
    thread->is_busy = was_busy;
}

void thread_end(void)
{
    struct thread *thread = &thread_self;
    if (!thread->is_begun) {
        return;
    }
    thread->is_busy = true; // for good: nothing of this thread is measured any more
    cpu_sampler_stop(&thread->cpu);
    thread_report();
    footprint_thread_ends();
    if (thread->slot) {
        wait_table_release(thread->slot);
        thread->slot = NULL;
    }
    thread->is_begun = false;
}

void thread_forked(void)
{
    struct thread *thread = &thread_self;
    uintptr_t stack_end = thread->stack_end;
    *thread = (struct thread){.stack_end = stack_end};
    thread->is_begun = true;
    start_clocks(thread, 0);
}
