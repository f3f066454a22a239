// SPDX-License-Identifier: Apache-2.0
#include "profile/percent.h"

#include <math.h>

#define STEPS_PER_POINT 1e6  // what a saved profile keeps of a percentage
#define NORMAL_QUANTILE 1.96 // of 97.5 %

static double rounded_share(double seconds, double total_s)
{
    if (!(seconds > 0) || !(total_s > 0) || !isfinite(seconds)) {
        return 0;
    }
    return round(fmin(seconds / total_s, 1) * 100 * STEPS_PER_POINT);
}

// Rounding up four times, or times that exceed their own total, must not give more than 100.
static void limit_sum(double *parts, int count)
{
    double sum = 0;
    for (int i = 0; i < count; i++) {
        sum += parts[i];
    }
    const double most = 100 * STEPS_PER_POINT;
    if (sum <= most) {
        return;
    }
    for (int i = 0; i < count; i++) {
        parts[i] = floor(parts[i] * (most / sum));
    }
}

struct percent percent_of(const struct profile *profile, const struct profile_times *times)
{
    double total_s = profile_total_s(profile);
    double idle_s = profile->has_virtual_time ? 0 : times->idle_s;
    double parts[] = {
        rounded_share(times->python_s, total_s),
        rounded_share(times->native_s, total_s),
        rounded_share(times->system_s, total_s),
        rounded_share(idle_s, total_s),
    };
    limit_sum(parts, 4);
    double error_s = times->variance_s2 > 0 ? NORMAL_QUANTILE * sqrt(times->variance_s2) : 0;
    return (struct percent){
        .python = parts[0] / STEPS_PER_POINT,
        .native = parts[1] / STEPS_PER_POINT,
        .system = parts[2] / STEPS_PER_POINT,
        .idle = parts[3] / STEPS_PER_POINT,
        .error = rounded_share(error_s, total_s) / STEPS_PER_POINT,
    };
}

double percent_sum(const struct percent *percent)
{
    return percent->python + percent->native + percent->system + percent->idle;
}

struct profile_times percent_file_times(const struct profile_file *file)
{
    struct profile_times sum = {0};
    for (size_t i = 0; i < file->line_count; i++) {
        profile_times_add(&sum, &file->lines[i].times);
    }
    return sum;
}
