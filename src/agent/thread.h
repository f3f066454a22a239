// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the agent keeps of each thread, in its own thread-local block: no table, no lock, and
// nothing left when the thread ends.
// Context: the thread itself, also in its signal handlers

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "agent/syscall.h"
#include "wire/record.h"
#include "wire/wait_table.h"

#define BURST_BINS 24

// The sampler's view of one thread: see cpu_sampler.c. Times named cpu are on the thread's CPU
// clock, others on the wall clock, all in ns.
struct cpu_sampler {
    // Looked at by every call that may wait.
    uint64_t target_cpu; // the next point
    uint64_t known_cpu;  // the last reading of the CPU clock ...
    uint64_t known_wall; // ... and when it was made
    uint64_t burst_wall; // when the thread last stopped waiting
    uint64_t first_wall; // when it first began to wait, or its CPU clock was read, since others set
                         // this to 0; so long at least has it done what it does
    uint64_t tuned_wall;
    uint64_t reach_ns;  // how far before the target the one-shot is armed
    uint32_t arm_count; // since tuned_wall
    bool is_armed;
    bool has_sampled_burst; // a point of it was taken where it lay
    uint8_t early_count;    // one-shots in a row that came before their point
    bool has_shot;
    uint32_t burst_weight[BURST_BINS]; // time spent in bursts of 2^bin us, decaying
    // By those that are close to a point.
    uint64_t window_cpu; // start of the window that the next point lies in
    uint64_t deadline_wall;
    int32_t latency_ns; // from the one-shot's expiry to the handler
    int32_t arm_cost_ns;
    uint32_t random;
    struct raw_timer tick;
    struct raw_timer shot;
    bool has_tick;
    uint8_t put_off_count; // ticks in a row that found the thread in the agent
};

// Waits too short to be recorded one by one: see wait.c. The last slot is for those whose kind only
// the descriptor tells.
#define SHORT_WAIT_SLOTS (WAIT_KIND_COUNT + 1)

struct short_waits {
    uint32_t unproved_ns[SHORT_WAIT_SLOTS]; // wall time of calls that may have computed as well
    uint32_t proved_ns[SHORT_WAIT_SLOTS];
    uint32_t unproved_sum_ns;
    uint32_t switch_count;  // of the thread's own accord, as of since_wall
    uint32_t last_switches; // the same, as of the last call that was asked for it
    uint64_t since_wall;    // when proof was last made ...
    uint64_t since_cpu;     // ... and the CPU clock then
    uint64_t long_ns;       // recorded since
};

struct frames;
struct ring;
struct wait_scope;

// What a thread had used before we came: not ours to report.
struct thread_origin {
    uint64_t cpu_ns;
    uint64_t user_us;
    uint64_t system_us;
    uint64_t ready_ns;
};

// What every call that may wait looks at comes first, in as few cache lines as can be: between two
// such calls the program has filled the caches with its own.
struct thread {
    uint32_t begun_in;        // the session that it begins to be profiled in; see thread_session
    uint32_t call_number;     // for timing one call in 64
    volatile bool is_busy;    // in the agent: a timer only leaves word
    volatile bool has_missed; // it did
    bool has_no_slot;         // and will have none
    bool is_named;            // its name was looked for
    int32_t tid;
    const struct wait_scope *open_scope; // the wait that the thread is in; NULL: none
    struct wait_slot *slot;              // shows the collector that it waits; NULL: see thread_slot
    struct cpu_sampler cpu;
    uint64_t blocked_ns; // in calls, so far
    struct short_waits waits;
    uint64_t last_wait_end_ns;
    uint64_t last_wait_leaf; // where it was, to tell a wait that goes on
    uint8_t last_wait_kind;
    uintptr_t stack_end; // highest address of the native stack
    uint64_t system_us;  // as of the last sample
    uint64_t user_us;
    uint64_t fault_count;
    uint64_t switch_count;
    struct thread_origin origin;
};

extern _Thread_local struct thread thread_self __attribute__((tls_model("initial-exec")));

// Grows when a session begins and when it ends: between two, no thread has begun.
extern _Atomic uint32_t thread_session;

static inline bool thread_is_begun(const struct thread *thread)
{
    return thread->begun_in == atomic_load_explicit(&thread_session, memory_order_relaxed);
}

// The calling thread starts to be profiled. `start_routine` is NULL for the main thread.
void thread_begin(void *start_routine, uintptr_t stack_end);

// The same for one that has run before: what it had used by then is not ours. Context: also the
// signal handler
void thread_join(uint64_t used_cpu_ns);

// Asked when a thread that has not begun is met, in a hook or in our handler: whether it has begun
// now. NULL: there are no such threads.
extern bool (*thread_on_stranger)(bool is_in_handler);
bool thread_meet(bool is_in_handler);

// The slot, claimed now if the thread has none yet; NULL when there is no ring or all are taken.
struct wait_slot *thread_slot(struct thread *thread, bool may_make_ring);

// Sends its name once: `frames` are the thread's own.
void thread_tell_name(struct thread *thread, const struct frames *frames, struct ring *ring);

// The thread leaves the agent, which is_busy said it was in: a timer that came meanwhile is set
// anew.
void thread_leave(struct thread *thread);

// Writes what the thread has used so far.
void thread_report(void);

// Writes it for the last time, and takes the timers away.
void thread_end(void);

// Around a fork, in the parent. In between the thread records nothing: others' handlers may run in
// the child before ours, which has its parent's ring and slot until then.
void thread_before_fork(void);
void thread_after_fork(void);

// In the child of a fork: timers are gone, clocks start again ...
void thread_forked(void);

// ... or not: the process is not profiled. What its parent shares is left as it is.
void thread_retire(void);
