// SPDX-License-Identifier: Apache-2.0
#include "agent/sampling_mean.h"

#include <stdatomic.h>
#include <stdbool.h>

#include "agent/byte_sampler.h"
#include "agent/clock.h"

#define MEAN_FLOOR    (16u * 1024)
#define MEAN_CEILING  (256u * 1024) // a line of 100 MB is then right to a part in 400
#define MEAN_LIMIT    (64u * 1024 * 1024)
#define LOOK_AFTER    128u      // samples ...
#define LOOK_NS       50000000u // ... or time
#define RATE_MAX      2000u     // samples a second of CPU time that a program may take for good ...
#define BURST_MAX     2048      // ... and more for a moment: a third of the ring, some milliseconds
#define RATE_HARD     12000u    // more than this is never worth it, whatever the mean
#define HARD_NS       20000000u // looked at over this time
#define RATE_MIN      500u
#define IDLE_SHARE    2u // a program that waits has the samples of one that computes half its time
#define NS_PER_SECOND 1000000000u
#define RING_HALF     50

// Rates are of CPU time, as it is CPU time that samples cost: a program that has half a core is
// sampled no more for each second that it computes. One that mostly waits can afford more.
static struct {
    _Atomic uint32_t mean;
    _Atomic uint32_t floor;
    _Atomic uint32_t count;      // of samples, since ...
    _Atomic uint64_t looked_ns;  // ... this wall time ...
    _Atomic uint64_t looked_cpu; // ... and this CPU time
    _Atomic int32_t credit;      // samples that may yet be taken faster than RATE_MAX
    _Atomic uint64_t clock_ns;   // all such time up to the last look
    _Atomic uint32_t hard_count; // samples beyond RATE_MAX, since ...
    _Atomic uint64_t hard_since; // ... this time of that clock
    bool is_fixed;
} state = {.mean = MEAN_FLOOR, .floor = MEAN_FLOOR, .credit = BURST_MAX};

void sampling_mean_start(uint64_t fixed)
{
    atomic_store(&state.looked_ns, clock_wall_ns());
    atomic_store(&state.looked_cpu, clock_process_cpu_ns());
    if (fixed != 0) {
        state.is_fixed = true;
        atomic_store(&state.mean,
                     fixed < BYTE_SAMPLER_MEAN_MAX ? (uint32_t)fixed : BYTE_SAMPLER_MEAN_MAX);
    }
}

uint32_t sampling_mean(void)
{
    return atomic_load_explicit(&state.mean, memory_order_relaxed);
}

// A burst has its credit. After that the mean grows at once to what the rate calls for, and no
// further: whatever comes after the burst is seen as well as can be.
static uint32_t grown(uint32_t mean, uint64_t rate)
{
    do {
        mean = mean < MEAN_CEILING ? mean * 2 : mean;
        rate /= 2;
    } while (rate > RATE_MAX);
    return mean;
}

// Memory that nobody touches can be allocated at any rate: past the ceiling the mean grows step by
// step, while the rate stays what no profile is worth, or the ring cannot take more.
static uint32_t grown_hard(uint32_t mean, uint32_t count, bool is_full)
{
    uint32_t sum = atomic_fetch_add(&state.hard_count, count) + count;
    uint64_t now = atomic_load(&state.clock_ns);
    uint64_t elapsed = now - atomic_load(&state.hard_since);
    if (elapsed < HARD_NS && !is_full) {
        return mean;
    }
    atomic_store(&state.hard_since, now);
    atomic_store(&state.hard_count, 0);
    bool is_hard = (uint64_t)sum * NS_PER_SECOND > elapsed * RATE_HARD;
    return (is_hard || is_full) && mean < MEAN_LIMIT ? mean * 2 : mean;
}

static uint32_t shrunk(uint32_t mean, uint64_t rate)
{
    for (; rate < RATE_MIN && mean / 2 >= atomic_load(&state.floor); rate = rate * 2 + 1) {
        mean /= 2;
    }
    return mean;
}

static uint64_t time_since_look(uint64_t now)
{
    uint64_t cpu = clock_process_cpu_ns();
    uint64_t wall_ns = now - atomic_exchange(&state.looked_ns, now);
    uint64_t cpu_ns = cpu - atomic_exchange(&state.looked_cpu, cpu);
    uint64_t least_ns = wall_ns / IDLE_SHARE;
    uint64_t elapsed = (cpu_ns > least_ns ? cpu_ns : least_ns) + 1;
    atomic_fetch_add(&state.clock_ns, elapsed);
    return elapsed;
}

// Two threads that look at once: one finds nothing to count.
static void look(const struct ring *ring, uint64_t now)
{
    uint64_t elapsed = time_since_look(now);
    uint32_t count = atomic_exchange(&state.count, 0);
    uint64_t rate = (uint64_t)count * NS_PER_SECOND / elapsed;
    uint64_t earned = elapsed < NS_PER_SECOND ? elapsed * RATE_MAX / NS_PER_SECOND : RATE_MAX;
    int32_t credit = atomic_load(&state.credit) + (int32_t)earned - (int32_t)count;
    credit = credit < BURST_MAX ? credit : BURST_MAX;
    bool is_full = ring_fill_percent(ring) > RING_HALF;
    if (credit < 0 || is_full) {
        uint32_t mean = grown(sampling_mean(), rate);
        atomic_store(&state.mean, grown_hard(mean, count, is_full));
        credit = 0;
    } else if (credit > BURST_MAX / 2) {
        atomic_store(&state.mean, shrunk(sampling_mean(), rate));
    }
    atomic_store(&state.credit, credit);
}

void sampling_mean_count(const struct ring *ring)
{
    uint32_t count = atomic_fetch_add_explicit(&state.count, 1, memory_order_relaxed) + 1;
    uint64_t now = clock_wall_ns();
    bool is_late = now - atomic_load_explicit(&state.looked_ns, memory_order_relaxed) > LOOK_NS;
    if ((count >= LOOK_AFTER || is_late) && !state.is_fixed) {
        look(ring, now);
    }
}

void sampling_mean_raise(uint64_t lowest)
{
    uint32_t floor = lowest < MEAN_LIMIT ? (uint32_t)lowest : MEAN_LIMIT;
    if (state.is_fixed || floor <= atomic_load(&state.floor)) {
        return;
    }
    atomic_store(&state.floor, floor);
    if (sampling_mean() < floor) {
        atomic_store(&state.mean, floor);
    }
}
