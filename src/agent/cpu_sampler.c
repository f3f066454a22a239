// SPDX-License-Identifier: Apache-2.0
#include "agent/cpu_sampler.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <ucontext.h>

#include "agent/clock.h"
#include "agent/cycles.h"
#include "agent/hidden_signal.h"
#include "agent/hot.h"
#include "agent/probe.h"
#include "agent/sample.h"
#include "agent/session.h"
#include "agent/timer_list.h"

#define MICROSECOND        1000u
#define MILLISECOND        1000000u
#define REACH_MIN_NS       (50 * MICROSECOND)
#define SHOT_MIN_NS        (5 * MICROSECOND)
#define SHOT_RETRY_NS      (10 * MICROSECOND)
#define EARLY_TOLERANCE_NS (20 * MICROSECOND)
#define LONG_BURST_NS      (100 * MILLISECOND)
#define TUNE_INTERVAL_NS   (100 * MILLISECOND)
#define ARMS_MAX           100 // between two tunings
#define EARLY_MAX          4
#define GIVEN_UP_MAX       3
#define OWN_TIME_MAX_NS    (50 * MICROSECOND)
#define PUT_OFF_MAX        10 // ticks in a row
#define LATENCY_MAX_NS     (200 * MICROSECOND)
#define TICK_MAX_NS        (5 * MILLISECOND) // of CPU time, where the thread has its core to itself

static _Atomic uint32_t given_up_count; // threads whose one-shot interrupted a call

// What a timer's signal carries, so that it is told from a signal of the program's.
static char tick_cookie;
static char shot_cookie;
static char call_cookie;

static uint32_t draw_random(struct cpu_sampler *sampler)
{
    uint32_t x = sampler->random;
    x ^= x << 13;
    x ^= x >> 17;
    x ^= x << 5;
    return sampler->random = x;
}

static void draw_target(struct cpu_sampler *sampler)
{
    sampler->target_cpu =
        sampler->window_cpu + (session.period_ns * (uint64_t)draw_random(sampler) >> 32);
}

static void set_tick(struct cpu_sampler *sampler)
{
    if (sampler->has_tick) {
        struct itimerspec value = {.it_value = clock_from_ns(sampler->target_cpu)};
        raw_timer_settime(sampler->tick, TIMER_ABSTIME, &value, NULL);
    }
}

static void set_shot(struct cpu_sampler *sampler, uint64_t delay_ns)
{
    struct itimerspec value = {.it_value = clock_from_ns(delay_ns)};
    raw_timer_settime(sampler->shot, 0, &value, NULL);
    sampler->is_armed = delay_ns != 0;
}

static void read_cpu(struct cpu_sampler *sampler, uint64_t wall_ns)
{
    sampler->known_cpu = clock_cpu_ns();
    sampler->known_wall = wall_ns;
    sampler->first_wall = sampler->first_wall ? sampler->first_wall : wall_ns;
}

void cpu_sampler_stop(struct cpu_sampler *sampler)
{
    if (sampler->has_tick) {
        timer_list_remove(sampler->tick);
    }
    if (sampler->has_shot) {
        timer_list_remove(sampler->shot);
    }
    sampler->has_tick = sampler->has_shot = sampler->is_armed = false;
}

// The point has been reached: one sample for all windows that it was the last of.
static void take(struct cpu_sampler *sampler, const ucontext_t *context, unsigned flags)
{
    uint32_t periods = 0;
    do {
        periods++;
        sampler->window_cpu += session.period_ns;
        draw_target(sampler);
    } while (sampler->target_cpu <= sampler->known_cpu);
    set_tick(sampler);
    sampler->has_sampled_burst |= context != NULL;
    sample_take(context, sampler->known_cpu, periods, flags);
}

// Where threads share a core, a tick may find another one time after time, and the point lies long
// before the call that begins now: the burst's last sample is the better witness.
COLD static void take_late(struct cpu_sampler *sampler)
{
    bool is_long_ago = sampler->known_cpu - sampler->target_cpu > TICK_MAX_NS;
    bool is_last = is_long_ago && sampler->has_sampled_burst;
    take(sampler, NULL, SAMPLE_IS_LATE | (is_last ? SAMPLE_IS_LAST : 0));
}

// What the agent computes itself is not the program's: the windows are moved past it.
static void leave_out(struct cpu_sampler *sampler, uint64_t own_ns)
{
    if (own_ns > OWN_TIME_MAX_NS) {
        own_ns = OWN_TIME_MAX_NS;
    }
    sampler->window_cpu += own_ns;
    sampler->target_cpu += own_ns;
}

COLD static void arm(struct cpu_sampler *sampler, uint64_t wall_ns)
{
    if (atomic_load_explicit(&given_up_count, memory_order_relaxed) >= GIVEN_UP_MAX) {
        return;
    }
    int64_t distance = (int64_t)(sampler->target_cpu - sampler->known_cpu);
    int64_t delay = distance + sampler->arm_cost_ns - sampler->latency_ns;
    if (delay < (int64_t)SHOT_MIN_NS) {
        delay = SHOT_MIN_NS;
    }
    set_shot(sampler, (uint64_t)delay);
    sampler->deadline_wall = wall_ns + (uint64_t)delay;
    sampler->arm_count++;
    uint64_t cost = clock_wall_ns() - wall_ns;
    if (cost < OWN_TIME_MAX_NS) {
        sampler->arm_cost_ns += ((int32_t)cost - sampler->arm_cost_ns) / 8;
    }
    leave_out(sampler, cost);
}

void cpu_sampler_start(struct cpu_sampler *sampler, uint64_t used_cpu_ns)
{
    uint64_t wall = clock_wall_ns();
    uint32_t seed = (uint32_t)(clock_cycles() * 0x9e3779b97f4a7c15u >> 32) ^ (uint32_t)wall;
    *sampler = (struct cpu_sampler){
        .window_cpu = used_cpu_ns,
        .burst_wall = wall,
        .tuned_wall = wall,
        .reach_ns = session.period_ns,
        .latency_ns = 20 * MICROSECOND,
        .arm_cost_ns = MICROSECOND,
        .random = seed ? seed : 1,
    };
    draw_target(sampler);
    read_cpu(sampler, wall);
    int tid = raw_gettid();
    sampler->has_tick = timer_list_make(&sampler->tick, CLOCK_THREAD_CPUTIME_ID, tid, &tick_cookie);
    sampler->has_shot = timer_list_make(&sampler->shot, CLOCK_MONOTONIC, tid, &shot_cookie);
    if (!sampler->has_tick || !sampler->has_shot) {
        session_count(COUNTER_threads_untimed, 1);
    }
    set_tick(sampler);
    if (sampler->has_shot) {
        arm(sampler, wall); // a thread may end before the next tick
    }
}

static unsigned burst_bin(uint64_t ns)
{
    uint64_t us = ns / MICROSECOND;
    unsigned bin = us == 0 ? 0 : 64 - (unsigned)__builtin_clzll(us);
    return bin < BURST_BINS ? bin : BURST_BINS - 1;
}

// How far ahead of a point it pays to arm: the length that 97 % of the time in bursts lies below.
static uint64_t burst_reach(const struct cpu_sampler *sampler)
{
    uint64_t total = 0;
    for (unsigned bin = 0; bin < BURST_BINS; bin++) {
        total += sampler->burst_weight[bin];
    }
    uint64_t below = 0;
    unsigned bin = 0;
    for (; bin < BURST_BINS - 1; bin++) {
        below += sampler->burst_weight[bin];
        if (below * 100 >= total * 97) {
            break;
        }
    }
    uint64_t reach = (1ull << bin) * MICROSECOND;
    return reach < REACH_MIN_NS ? REACH_MIN_NS : reach;
}

COLD static void tune(struct cpu_sampler *sampler, uint64_t wall_ns)
{
    uint64_t wanted = burst_reach(sampler);
    if (sampler->arm_count > ARMS_MAX) {
        sampler->reach_ns /= 4;
    } else {
        sampler->reach_ns = sampler->reach_ns * 2 < wanted ? sampler->reach_ns * 2 : wanted;
    }
    if (sampler->reach_ns < REACH_MIN_NS) {
        sampler->reach_ns = REACH_MIN_NS;
    }
    for (unsigned bin = 0; bin < BURST_BINS; bin++) {
        sampler->burst_weight[bin] -= sampler->burst_weight[bin] / 8;
    }
    sampler->arm_count = 0;
    sampler->tuned_wall = wall_ns;
}

HOT void cpu_sampler_wait_begins(struct cpu_sampler *sampler, uint64_t wall_ns)
{
    sampler->first_wall = sampler->first_wall ? sampler->first_wall : wall_ns;
    uint64_t burst = wall_ns - sampler->burst_wall;
    uint64_t weight = burst / MICROSECOND;
    uint32_t *bin = &sampler->burst_weight[burst_bin(burst)];
    *bin = *bin + weight < (UINT32_MAX >> 1) ? *bin + (uint32_t)weight : UINT32_MAX >> 1;
    bool may_have_passed;
    if (sampler->is_armed) {
        set_shot(sampler, 0);
        may_have_passed = wall_ns >= sampler->deadline_wall;
        leave_out(sampler, clock_wall_ns() - wall_ns);
    } else {
        uint64_t cpu_bound = sampler->known_cpu + (wall_ns - sampler->known_wall);
        may_have_passed = cpu_bound >= sampler->target_cpu;
    }
    if (may_have_passed) {
        read_cpu(sampler, wall_ns);
        if (sampler->known_cpu >= sampler->target_cpu) {
            take_late(sampler);
        }
    }
}

HOT void cpu_sampler_wait_ends(struct cpu_sampler *sampler, uint64_t wall_ns)
{
    sampler->burst_wall = wall_ns;
    sampler->has_sampled_burst = false;
    sampler->early_count = 0;
    if (wall_ns - sampler->tuned_wall > TUNE_INTERVAL_NS) {
        tune(sampler, wall_ns);
    }
    // Wall time bounds CPU time: far from the point, no clock need be asked.
    uint64_t cpu_bound = sampler->known_cpu + (wall_ns - sampler->known_wall);
    uint64_t reach = sampler->arm_count < ARMS_MAX ? sampler->reach_ns : REACH_MIN_NS;
    if (cpu_bound + reach < sampler->target_cpu) {
        return;
    }
    read_cpu(sampler, wall_ns);
    if (sampler->known_cpu >= sampler->target_cpu) {
        take(sampler, NULL, SAMPLE_IN_CALL);
    }
    if (sampler->has_shot && sampler->target_cpu - sampler->known_cpu <= reach) {
        arm(sampler, wall_ns);
    }
}

void cpu_sampler_missed(struct cpu_sampler *sampler)
{
    if (sampler->has_shot) {
        set_shot(sampler, SHOT_RETRY_NS);
        sampler->deadline_wall = clock_wall_ns() + SHOT_RETRY_NS;
    }
}

// What the one-shot did to a system call that no hook surrounds. Both show at the instruction
// pointer: after the call with EINTR, or on the call, to start it again.
enum call_effect { CALL_UNTOUCHED, CALL_RESTARTED, CALL_INTERRUPTED };

// Starts the call again where its number stands in the code before it (mov $number, %eax), unless
// a signal of the program's waits as well, which may have been the one that interrupted. A relative
// timeout begins anew: milder than a failure that the program did not cause.
static bool restart_call(ucontext_t *context)
{
    greg_t *registers = context->uc_mcontext.gregs;
    struct probe probe = {0};
    uint64_t pending = 0;

    struct {
        uint8_t opcode;
        uint32_t number;
    } __attribute__((packed)) move;

    if (raw_sigpending(&pending) != 0 || pending != 0 ||
        !probe_copy(&probe, &move, (uintptr_t)registers[REG_RIP] - 7, sizeof move) ||
        move.opcode != 0xb8) {
        return false;
    }
    registers[REG_RAX] = move.number;
    registers[REG_RIP] -= 2;
    return true;
}

static enum call_effect call_effect(ucontext_t *context)
{
    const greg_t *registers = context->uc_mcontext.gregs;
    uint8_t code[4];
    sample_code_bytes((uintptr_t)registers[REG_RIP], code);
    if (code[0] == 0x0f && code[1] == 0x05 && registers[REG_RAX] == -EINTR) {
        return restart_call(context) ? CALL_RESTARTED : CALL_INTERRUPTED;
    }
    return code[2] == 0x0f && code[3] == 0x05 ? CALL_RESTARTED : CALL_UNTOUCHED;
}

// A thread that makes blocking calls which no hook sees is sampled at the kernel's ticks alone from
// now on; after a few such threads, all of the process are.
static void give_up_shot(struct cpu_sampler *sampler)
{
    sampler->has_shot = false;
    timer_list_remove(sampler->shot);
    atomic_fetch_add_explicit(&given_up_count, 1, memory_order_relaxed);
    session_count(COUNTER_interrupted_calls, 1);
    session_count(COUNTER_threads_without_shot, 1);
}

// Aims better next time.
static void learn_latency(struct cpu_sampler *sampler)
{
    int64_t error = (int64_t)(sampler->known_cpu - sampler->target_cpu);
    if (error > -(int64_t)LATENCY_MAX_NS && error < (int64_t)LATENCY_MAX_NS) {
        sampler->latency_ns += (int32_t)error / 8;
    }
    if (sampler->latency_ns < 0) {
        sampler->latency_ns = 0;
    }
}

static void shot_fired(struct cpu_sampler *sampler, ucontext_t *context, uint64_t wall_ns)
{
    sampler->is_armed = false;
    enum call_effect effect = call_effect(context);
    if (effect == CALL_INTERRUPTED) {
        give_up_shot(sampler);
    }
    if (sampler->known_cpu + EARLY_TOLERANCE_NS >= sampler->target_cpu) {
        learn_latency(sampler);
        sampler->early_count = 0;
        take(sampler, context, 0);
        bool is_long = wall_ns - sampler->burst_wall > LONG_BURST_NS;
        if (is_long || effect != CALL_UNTOUCHED || !sampler->has_shot) {
            return;
        }
    } else if (effect != CALL_UNTOUCHED || !sampler->has_shot ||
               ++sampler->early_count > EARLY_MAX) {
        return;
    }
    arm(sampler, wall_ns);
}

static void tick_fired(struct cpu_sampler *sampler, const ucontext_t *context, uint64_t wall_ns)
{
    bool was_armed = sampler->is_armed;
    if (sampler->known_cpu < sampler->target_cpu) {
        set_tick(sampler);
        return;
    }
    take(sampler, context, 0);
    if (was_armed && sampler->has_shot) {
        bool is_long = wall_ns - sampler->burst_wall > LONG_BURST_NS;
        if (is_long) {
            set_shot(sampler, 0);
        } else {
            arm(sampler, wall_ns);
        }
    }
}

// The thread is in the agent itself. The tick timer is set again here; the one-shot would go off in
// the call that is about to be made, so the hook looks after it. A hook lasts microseconds: found
// in one tick after tick, the program has jumped out of it (siglongjmp), and it never ends.
static void put_off(struct thread *thread, bool is_tick)
{
    if (is_tick) {
        struct itimerspec value = {.it_value = clock_from_ns(MILLISECOND)};
        raw_timer_settime(thread->cpu.tick, 0, &value, NULL);
        thread->is_busy = ++thread->cpu.put_off_count < PUT_OFF_MAX;
    } else {
        thread->has_missed = true;
        thread->cpu.is_armed = false;
    }
}

// A timer on the thread's CPU clock that is due: it goes off when the thread computes, and never in
// a call that it waits in.
bool cpu_sampler_call(int tid)
{
    clockid_t clock = (clockid_t)((~(unsigned)tid << 3) | 6); // as pthread_getcpuclockid makes it
    struct itimerspec soon = {.it_value = clock_from_ns(1)};
    struct raw_timer timer;
    return timer_list_make(&timer, clock, tid, &call_cookie) &&
           raw_timer_settime(timer, 0, &soon, NULL) == 0;
}

static void called(const siginfo_t *info)
{
    int saved_errno = errno;
    timer_list_remove((struct raw_timer){info->si_timerid});
    if (!thread_is_begun(&thread_self)) {
        thread_meet(true);
    }
    errno = saved_errno;
}

static void on_signal(int signal_number, siginfo_t *info, void *context)
{
    const void *cookie = info->si_code == SI_TIMER ? info->si_value.sival_ptr : NULL;
    bool is_tick = cookie == &tick_cookie;
    bool is_shot = cookie == &shot_cookie;
    if (cookie == &call_cookie) {
        called(info);
        return;
    }
    if (!is_tick && !is_shot) {
        hidden_signal_forward(signal_number, info, context);
        return;
    }
    CYCLES_OF_FUNCTION(on_signal);
    struct thread *thread = &thread_self;
    struct cpu_sampler *sampler = &thread->cpu;
    if (!thread_is_begun(thread)) {
        return;
    }
    if (thread->is_busy) {
        put_off(thread, is_tick);
        return;
    }
    int saved_errno = errno;
    thread->is_busy = true;
    sampler->put_off_count = 0;
    uint64_t wall = clock_wall_ns();
    read_cpu(sampler, wall);
    uint64_t began = sampler->known_cpu;
    if (is_shot) {
        shot_fired(sampler, context, wall);
    } else {
        tick_fired(sampler, context, wall);
    }
    session_count(COUNTER_handler_calls, 1);
    session_count(COUNTER_handler_ns, clock_cpu_ns() - began);
    thread->is_busy = false;
    errno = saved_errno;
}

bool cpu_sampler_install(void)
{
    return hidden_signal_install(on_signal);
}
