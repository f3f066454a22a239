// SPDX-License-Identifier: Apache-2.0
#include "agent/wait.h"

#include <errno.h>
#include <string.h>

#include "agent/clock.h"
#include "agent/cpu_sampler.h"
#include "agent/cpython/frames.h"
#include "agent/cpython/interpreter.h"
#include "agent/cycles.h"
#include "agent/descriptor.h"
#include "agent/hot.h"
#include "agent/session.h"
#include "agent/thread.h"
#include "agent/vfork_child.h"

#define MICROSECOND    1000u
#define LONG_WAIT_NS   1000000u          // recorded as it is
#define SHORTEST_NS    (5 * MICROSECOND) // below it nobody slept: the call was computing
#define SHORT_QUOTA_NS 1000000u          // of short waits that one record stands for
#define SAME_WAIT_NS   (100 * MICROSECOND)
#define ASK_KERNEL_NS  (20 * MICROSECOND) // from here on one more system call is not noticed
#define ASK_WAITS_NS   (100 * MICROSECOND)
#define KIND_BY_FD     (SHORT_WAIT_SLOTS - 1)
#define TIMED_CALLS    64

// How the kind is found, once the wait is known to count.
struct kind_source {
    unsigned slot; // where short waits add up: a kind, or KIND_BY_FD
    int fd;
    enum wait_kind (*ask)(const void *);
    const void *argument;
};

HOT bool wait_is_measured(void)
{
    return atomic_load_explicit(&session.is_active, memory_order_relaxed) && !thread_self.is_busy &&
           !vfork_child_runs && (thread_is_begun(&thread_self) || thread_meet(false));
}

// How often the thread has given up its core of its own accord. Waiting does; losing it to another
// program does not.
static uint32_t switch_count(void)
{
    struct rusage usage = {0};
    raw_getrusage(RUSAGE_THREAD, &usage);
    return (uint32_t)usage.ru_nvcsw;
}

// One that never ends is still seen from outside. The state goes first: see wait_table.h.
// A forked child that waits is more than a step to another program, and gets its ring; a look at a
// file (what may work long) can be such a step.
static void show(struct thread *thread, const struct wait_scope *scope, bool may_work_long)
{
    if (!session_is_on()) {
        return;
    }
    struct wait_slot *slot = thread->slot ? thread->slot : thread_slot(thread, !may_work_long);
    if (slot) {
        atomic_store_explicit(&slot->state, interpreter_thread_state(), memory_order_relaxed);
        atomic_store_explicit(&slot->caller, (uintptr_t)scope->caller, memory_order_relaxed);
        atomic_store_explicit(&slot->begin_ns, scope->begin_ns, memory_order_release);
    }
}

static void hide(struct thread *thread)
{
    if (thread->slot) {
        atomic_store_explicit(&thread->slot->begin_ns, 0, memory_order_release);
    }
}

// A hooked call within a hooked call (a resolver's poll, a signal handler's write) is part of it.
// An open scope that lies deeper on the stack than this one was left by a jump.
static bool is_inside_another(const struct thread *thread, const struct wait_scope *scope)
{
    return thread->open_scope && (uintptr_t)scope < (uintptr_t)thread->open_scope;
}

HOT void wait_begin_for(struct wait_scope *scope, bool may_work_long)
{
    CYCLES_OF_CALLER();
    scope->begin_ns = 0;
    scope->cpu_begin_ns = 0;
    if (!wait_is_measured()) {
        return;
    }
    struct thread *thread = &thread_self;
    if (is_inside_another(thread, scope)) {
        return;
    }
    thread->open_scope = scope;
    int saved_errno = errno;
    thread->is_busy = true;
    uint64_t now = clock_wall_ns();
    cpu_sampler_wait_begins(&thread->cpu, now);
    if (may_work_long) {
        scope->switches = switch_count();
        scope->cpu_begin_ns = clock_cpu_ns();
    }
    scope->begin_ns = now;
    show(thread, scope, may_work_long);
    // A one-shot that fired meanwhile is not set again: it would go off in the call.
    thread->is_busy = false;
    thread->has_missed = false;
    errno = saved_errno;
}

static enum wait_kind find_kind(const struct kind_source *source)
{
    if (source->ask) {
        return source->ask(source->argument);
    }
    return source->slot == KIND_BY_FD ? descriptor_kind(source->fd) : (enum wait_kind)source->slot;
}

COLD static void write_record(const struct wait_scope *scope, uint64_t end_ns, uint64_t duration_ns,
                              enum wait_kind kind, unsigned flags)
{
    struct thread *thread = &thread_self;
    struct ring *ring = session_ring();
    if (!ring || !session_is_on()) {
        return;
    }
    struct frames frames;
    frames.count = 0;
    frames.flags = 0;
    if (!(flags & WAIT_SAME_STACK)) {
        frames_walk(&frames, ring);
        thread_tell_name(thread, &frames, ring);
    }
    size_t bytes = frames.count * sizeof(struct record_frame);
    struct record_wait *record = ring_reserve(ring, RECORD_WAIT, sizeof *record + bytes);
    if (!record) {
        ring_count(ring, COUNTER_dropped_full, 1);
        return;
    }
    record->time_ns = end_ns;
    record->duration_ns = duration_ns;
    record->caller = (uint64_t)(uintptr_t)scope->caller;
    record->tid = thread->tid;
    record->kind = (uint8_t)kind;
    record->flags = (uint8_t)(flags | (frames.flags & SAMPLE_IS_TRUNCATED ? WAIT_IS_TRUNCATED : 0));
    record->frame_count = (uint16_t)frames.count;
    memcpy(record + 1, frames.list, bytes);
    ring_commit(record);
}

// The GIL is waited for in pieces of some milliseconds: the pieces share one stack.
COLD static void record_long(struct thread *thread, const struct wait_scope *scope, uint64_t end_ns,
                             uint64_t duration_ns, enum wait_kind kind)
{
    uint64_t leaf = frames_leaf();
    bool goes_on = kind == WAIT_GIL && thread->last_wait_kind == kind &&
                   thread->last_wait_leaf == leaf &&
                   scope->begin_ns - thread->last_wait_end_ns < SAME_WAIT_NS;
    thread->last_wait_kind = (uint8_t)kind;
    thread->last_wait_leaf = leaf;
    thread->last_wait_end_ns = end_ns;
    write_record(scope, end_ns, duration_ns, kind, goes_on ? WAIT_SAME_STACK : 0);
}

// Sleeping, locks, children: such calls do nothing but wait. Transfers may compute instead.
static bool only_waits(unsigned slot)
{
    return slot == WAIT_GIL || slot == WAIT_LOCK || slot == WAIT_SLEEP || slot == WAIT_CHILD;
}

// Gives the slots of one sort what was slept, as far as it goes. Returns the rest.
static double prove_slots(struct short_waits *waits, double slept_ns, bool that_only_wait)
{
    double sum = 0;
    for (unsigned i = 0; i < SHORT_WAIT_SLOTS; i++) {
        sum += only_waits(i) == that_only_wait ? waits->unproved_ns[i] : 0;
    }
    double part = sum > slept_ns ? slept_ns / sum : 1;
    for (unsigned i = 0; i < SHORT_WAIT_SLOTS; i++) {
        if (only_waits(i) == that_only_wait) {
            waits->proved_ns[i] += (uint32_t)(waits->unproved_ns[i] * part);
            waits->unproved_ns[i] = 0;
        }
    }
    return slept_ns - sum * part;
}

// A short call may have slept or computed, and asking the CPU clock twice a call is too dear. Asked
// once in a while, the clocks tell how long the thread did neither compute nor wait long: no more
// than that was spent sleeping in short calls. A thread that never gave up its core never slept.
COLD static void prove(struct thread *thread, uint64_t now_ns)
{
    struct short_waits *waits = &thread->waits;
    uint32_t switches = switch_count();
    uint64_t cpu = clock_cpu_ns();
    int64_t slept = (int64_t)(now_ns - waits->since_wall) - (int64_t)(cpu - waits->since_cpu) -
                    (int64_t)waits->long_ns;
    bool has_switched = switches != waits->switch_count;
    double left = slept > 0 && has_switched ? (double)slept : 0;
    left = prove_slots(waits, left, true);
    prove_slots(waits, left, false);
    waits->unproved_sum_ns = 0;
    waits->switch_count = switches;
    waits->since_wall = now_ns;
    waits->since_cpu = cpu;
    waits->long_ns = 0;
}

// One record stands for many short waits of its kind: the call that fills the quota has it.
COLD static void record_quota(struct thread *thread, const struct wait_scope *scope,
                              uint64_t end_ns, const struct kind_source *source, uint32_t quota_ns)
{
    uint32_t *proved = &thread->waits.proved_ns[source->slot];
    if (*proved >= quota_ns) {
        write_record(scope, end_ns, *proved, find_kind(source), WAIT_IS_SAMPLED);
        *proved = 0;
        thread->last_wait_end_ns = 0;
    }
}

// Its own clocks say that it slept: it needs no proof, and is none for others.
static void add_measured(struct thread *thread, const struct wait_scope *scope, uint64_t end_ns,
                         uint64_t slept_ns, const struct kind_source *source)
{
    thread->waits.proved_ns[source->slot] += (uint32_t)slept_ns;
    thread->waits.long_ns += slept_ns;
    record_quota(thread, scope, end_ns, source, SHORT_QUOTA_NS);
}

static void add_short(struct thread *thread, const struct wait_scope *scope, uint64_t end_ns,
                      uint64_t duration_ns, const struct kind_source *source)
{
    struct short_waits *waits = &thread->waits;
    waits->unproved_ns[source->slot] += (uint32_t)duration_ns;
    waits->unproved_sum_ns += (uint32_t)duration_ns;
    if (waits->unproved_sum_ns >= SHORT_QUOTA_NS) {
        prove(thread, end_ns);
        record_quota(thread, scope, end_ns, source, SHORT_QUOTA_NS / 2);
    }
}

// A transfer that took a while without giving up the core of its own accord was computing, or stood
// back while others computed: a send that wakes its receiver often does, where both share a core.
// What the thread gave it up for before that is to be known, so those that only wait are counted.
static bool was_computing(struct thread *thread, uint64_t duration_ns, unsigned slot)
{
    if (duration_ns < (only_waits(slot) ? ASK_WAITS_NS : ASK_KERNEL_NS)) {
        return false;
    }
    uint32_t switches = switch_count();
    bool has_switched = switches != thread->waits.last_switches;
    thread->waits.last_switches = switches;
    return !has_switched && !only_waits(slot);
}

// What of the call was sleep, as far as its own clocks can tell.
COLD static uint64_t slept_in(const struct wait_scope *scope, uint64_t duration_ns)
{
    uint64_t computed = clock_cpu_ns() - scope->cpu_begin_ns;
    bool has_slept = duration_ns > computed && switch_count() != scope->switches;
    return has_slept ? duration_ns - computed : 0;
}

static void account(struct thread *thread, const struct wait_scope *scope, uint64_t end_ns,
                    const struct kind_source *source)
{
    uint64_t duration = end_ns - scope->begin_ns;
    bool is_measured = scope->cpu_begin_ns != 0;
    if (is_measured && duration >= SHORTEST_NS) {
        duration = slept_in(scope, duration);
    }
    if (duration < SHORTEST_NS) {
        return;
    }
    if (!is_measured && was_computing(thread, duration, source->slot)) {
        return;
    }
    thread->blocked_ns += duration;
    if (duration >= LONG_WAIT_NS) {
        thread->waits.long_ns += duration;
        record_long(thread, scope, end_ns, duration, find_kind(source));
    } else if (is_measured) {
        add_measured(thread, scope, end_ns, duration, source);
    } else {
        add_short(thread, scope, end_ns, duration, source);
    }
}

HOT static void end(const struct wait_scope *scope, const struct kind_source *source)
{
    struct thread *thread = &thread_self;
    if (scope->begin_ns == 0 || !thread_is_begun(thread) || thread->is_busy) {
        return;
    }
    thread->open_scope = NULL;
    int saved_errno = errno;
    thread->is_busy = true;
    bool is_timed = thread->call_number++ % TIMED_CALLS == 0;
    uint64_t began = is_timed ? clock_cpu_ns() : 0;
    uint64_t now = clock_wall_ns();
    if (session.has_waits) {
        account(thread, scope, now, source);
    }
    hide(thread); // once it is recorded: the collector knows one that it has twice
    cpu_sampler_wait_ends(&thread->cpu, now);
    if (is_timed) {
        session_count(COUNTER_hook_calls, TIMED_CALLS);
        session_count(COUNTER_hook_ns, (clock_cpu_ns() - began) * TIMED_CALLS);
    }
    thread_leave(thread);
    errno = saved_errno;
}

HOT void wait_end(const struct wait_scope *scope, enum wait_kind kind)
{
    CYCLES_OF_CALLER();
    end(scope, &(struct kind_source){.slot = kind});
}

HOT void wait_end_fd(const struct wait_scope *scope, int fd)
{
    CYCLES_OF_CALLER();
    end(scope, &(struct kind_source){.slot = KIND_BY_FD, .fd = fd});
}

HOT void wait_end_lock(const struct wait_scope *scope, const void *lock)
{
    CYCLES_OF_CALLER();
    enum wait_kind kind = interpreter_owns_lock(lock) ? WAIT_GIL : WAIT_LOCK;
    end(scope, &(struct kind_source){.slot = kind});
}

void wait_end_lazily(const struct wait_scope *scope, enum wait_kind (*kind_of)(const void *),
                     const void *argument)
{
    CYCLES_OF_CALLER();
    end(scope, &(struct kind_source){.slot = KIND_BY_FD, .ask = kind_of, .argument = argument});
}
