// SPDX-License-Identifier: Apache-2.0
#include "agent/thread.h"

#include <pthread.h>

#include "agent/clock.h"
#include "agent/cpu_sampler.h"
#include "agent/cpython/frames.h"
#include "agent/cpython/thread_name.h"
#include "agent/footprint.h"
#include "agent/hot.h"
#include "agent/session.h"

_Thread_local struct thread thread_self __attribute__((tls_model("initial-exec")));
_Atomic uint32_t thread_session = 2;
bool (*thread_on_stranger)(bool is_in_handler);

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
    thread->begun_in = atomic_load(&thread_session);
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

void thread_tell_name(struct thread *thread, const struct frames *frames, struct ring *ring)
{
    if (!thread->is_named && frames->outermost != 0) {
        thread->is_named = true;
        thread_name_send(ring, frames->outermost, thread->tid);
    }
}

// 0 where /proc is out of sight.
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

void thread_begin(void *start_routine, uintptr_t stack_end)
{
    struct thread *thread = &thread_self;
    if (thread_is_begun(thread)) {
        return;
    }
    thread->is_busy = true;
    thread->tid = raw_gettid();
    thread->stack_end = stack_end;
    if (!start_routine && session.foreign_cpu_ns > 0) { // it has been another program, told by then
        thread->origin.cpu_ns = session.foreign_cpu_ns;
        thread->origin.ready_ns = ready_ns();
    }
    announce(start_routine);
    thread_slot(thread, false);
    start_clocks(thread, thread->origin.cpu_ns);
    thread->is_busy = false;
}

HOT void thread_leave(struct thread *thread)
{
    thread->is_busy = false;
    if (thread->has_missed) {
        thread->has_missed = false;
        cpu_sampler_missed(&thread->cpu);
    }
}

// Its clocks have counted for long: only what they count from now on is told.
void thread_join(uint64_t used_cpu_ns)
{
    struct thread *thread = &thread_self;
    struct rusage usage = {0};
    *thread = (struct thread){.is_busy = true, .tid = raw_gettid()};
    raw_getrusage(RUSAGE_THREAD, &usage);
    thread->system_us = clock_to_us(usage.ru_stime);
    thread->user_us = clock_to_us(usage.ru_utime);
    thread->fault_count = (uint64_t)usage.ru_minflt + (uint64_t)usage.ru_majflt;
    thread->switch_count = (uint64_t)usage.ru_nvcsw;
    thread->waits.switch_count = thread->waits.last_switches = (uint32_t)usage.ru_nvcsw;
    thread->origin = (struct thread_origin){
        .cpu_ns = used_cpu_ns,
        .user_us = thread->user_us,
        .system_us = thread->system_us,
        .ready_ns = ready_ns(),
    };
    announce(NULL);
    thread_slot(thread, false);
    start_clocks(thread, used_cpu_ns);
    thread->is_busy = false;
}

bool thread_meet(bool is_in_handler)
{
    return thread_on_stranger && !thread_self.is_busy && thread_on_stranger(is_in_handler);
}

void thread_report(void)
{
    struct thread *thread = &thread_self;
    if (!thread_is_begun(thread)) {
        return;
    }
    bool was_busy = thread->is_busy;
    thread->is_busy = true;
    // What takes long is asked before the record is begun: it is not cut short by a kill meanwhile.
    struct rusage usage = {0};
    raw_getrusage(RUSAGE_THREAD, &usage);
    uint64_t cpu_ns = clock_cpu_ns();
    uint64_t waited_ns = ready_ns();
    struct ring *ring = session_ring();
    struct record_thread_end *record =
        ring ? ring_reserve(ring, RECORD_THREAD_END, sizeof *record) : NULL;
    if (record) {
        record->cpu_ns = cpu_ns - thread->origin.cpu_ns;
        record->user_us = clock_to_us(usage.ru_utime) - thread->origin.user_us;
        record->system_us = clock_to_us(usage.ru_stime) - thread->origin.system_us;
        uint64_t before_ns = thread->origin.ready_ns; // more than now, once /proc is out of sight
        record->ready_ns = waited_ns > before_ns ? waited_ns - before_ns : 0;
        // Last: in between it may wait seconds for a core, and had then been ready for longer than
        // it lived, which the collector does not believe.
        record->time_ns = clock_wall_ns();
        record->tid = thread->tid;
        record->reserved = 0;
        ring_commit(record);
    }
    thread->is_busy = was_busy;
}

void thread_end(void)
{
    struct thread *thread = &thread_self;
    if (!thread_is_begun(thread)) {
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
    thread->begun_in = 0;
}

void thread_retire(void)
{
    thread_self = (struct thread){.is_busy = true};
}

static _Thread_local bool was_busy_before_fork __attribute__((tls_model("initial-exec")));

void thread_before_fork(void)
{
    was_busy_before_fork = thread_self.is_busy;
    thread_self.is_busy = true;
}

void thread_after_fork(void)
{
    if (!was_busy_before_fork) {
        thread_leave(&thread_self);
    }
}

void thread_forked(void)
{
    struct thread *thread = &thread_self;
    uintptr_t stack_end = thread->stack_end;
    *thread = (struct thread){.stack_end = stack_end};
    start_clocks(thread, 0);
}
