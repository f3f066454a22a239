// SPDX-License-Identifier: Apache-2.0
#include "cli/recording_options.h"

#include <math.h>

#define NS_PER_S 1e9

struct run_dir_options recording_run_dir_options(const struct settings *settings)
{
    return (struct run_dir_options){
        .is_on = settings->is_on,
        .has_stacks = settings->has_stacks,
        .has_waits = !settings->has_virtual_time,
        .has_memory = settings_has_memory(settings),
        .has_async = settings_has_async(settings),
        .is_alone = !settings->profiles_children,
        .allocation_mean = settings->allocation_window_bytes,
        .period_ns = (uint64_t)llround(settings->cpu_sampling_s * NS_PER_S),
    };
}

struct collector_options recording_collector_options(const struct settings *settings)
{
    return (struct collector_options){
        .period_s = settings->cpu_sampling_s,
        .has_stacks = settings->has_stacks,
        .has_memory = settings_has_memory(settings),
        .has_async = settings_has_async(settings),
        .has_gpu = settings_has_gpu(settings),
        .has_leak_detector = settings->has_leak_detector,
        .has_virtual_time = settings->has_virtual_time,
    };
}
