// SPDX-License-Identifier: Apache-2.0
#include "suggest/stake.h"

#include <math.h>

struct stake stake_of(const struct profile *profile, const struct profile_times *times,
                      const struct profile_memory *memory)
{
    const struct profile_footprint *footprint = &profile->footprint;
    struct stake stake = {0};
    double total_s = profile_total_s(profile);
    double idle_s = profile->has_virtual_time ? 0 : times->idle_s;
    if (total_s > 0) {
        stake.time = (profile_times_cpu_s(times) + idle_s) / total_s;
    }
    if (profile->has_memory && footprint->max_mb > 0) {
        stake.held = memory->at_peak_mb / footprint->max_mb;
    }
    if (profile->has_memory && footprint->allocated_mb > 0) {
        stake.allocated = memory->allocated_mb / footprint->allocated_mb;
    }
    return stake;
}

struct stake stake_sum(const struct stake *one, const struct stake *other)
{
    return (struct stake){
        .time = one->time + other->time,
        .held = one->held + other->held,
        .allocated = one->allocated + other->allocated,
    };
}

double stake_memory(const struct stake *stake)
{
    return fmax(stake->held, stake->allocated);
}
