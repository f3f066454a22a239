// SPDX-License-Identifier: Apache-2.0
#include "accel/pace.h"

#include <math.h>
#include <time.h>

#define COST_PART     0.01
#define COST_PART_MAX 0.1
#define GAP_MAX_S     10.0
#define SLACK         0.05 // of a period, for clocks that wake up early

bool pace_is_due(const struct pace *pace, double now_s)
{
    return now_s >= pace->next_s - SLACK * pace->period_s;
}

void pace_done(struct pace *pace, double now_s, double cost_s)
{
    double gap_s = fmin(GAP_MAX_S, cost_s / COST_PART);
    gap_s = fmax(pace->period_s, fmax(gap_s, cost_s / COST_PART_MAX));
    pace->next_s = now_s + gap_s; // after a pause nothing is made up for
    pace->last_s = now_s;
}

double pace_since_s(const struct pace *pace, double now_s)
{
    if (pace->last_s <= 0) {
        return now_s - pace->period_s;
    }
    return fmax(pace->last_s, now_s - 2 * (pace->next_s - pace->last_s));
}

double pace_now_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}
