// SPDX-License-Identifier: Apache-2.0
#include "agent/sampling_mean.h"

#include <stdatomic.h>
#include <stdbool.h>

#include "agent/byte_sampler.h"
#include "agent/clock.h"

#define MEAN_FLOOR    (16u * 1024)
#define MEAN_CEILING  (4u * 1024 * 1024)
#define LOOK_AFTER    128u // samples
#define RATE_MAX      5000u
#define RATE_MIN      1000u
#define NS_PER_SECOND 1000000000u

static struct {
    _Atomic uint32_t mean;
    _Atomic uint32_t floor;
    _Atomic uint32_t count; // of samples
    _Atomic uint64_t looked_ns;
    bool is_fixed;
} state = {.mean = MEAN_FLOOR, .floor = MEAN_FLOOR};

void sampling_mean_start(uint64_t fixed)
{
    atomic_store(&state.looked_ns, clock_wall_ns());
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

// Two threads that look at once may take two steps at once: the next look corrects it.
static void look(void)
{
    uint64_t now = clock_wall_ns();
    uint64_t elapsed = now - atomic_exchange(&state.looked_ns, now);
    uint64_t samples_in_a_second = (uint64_t)LOOK_AFTER * NS_PER_SECOND / (elapsed ? elapsed : 1);
    uint32_t mean = sampling_mean();
    if (samples_in_a_second > RATE_MAX && mean < MEAN_CEILING) {
        atomic_store(&state.mean, mean * 2);
    } else if (samples_in_a_second < RATE_MIN && mean / 2 >= atomic_load(&state.floor)) {
        atomic_store(&state.mean, mean / 2);
    }
}

void sampling_mean_count(void)
{
    uint32_t count = atomic_fetch_add_explicit(&state.count, 1, memory_order_relaxed) + 1;
    if (count % LOOK_AFTER == 0 && !state.is_fixed) {
        look();
    }
}

void sampling_mean_raise(uint64_t lowest)
{
    uint32_t floor = lowest < MEAN_CEILING ? (uint32_t)lowest : MEAN_CEILING;
    if (state.is_fixed || floor <= atomic_load(&state.floor)) {
        return;
    }
    atomic_store(&state.floor, floor);
    if (sampling_mean() < floor) {
        atomic_store(&state.mean, floor);
    }
}
