// SPDX-License-Identifier: Apache-2.0
#include "collect/holding.h"

#include <math.h>

static void pass_time(struct holding *holding, double time_s)
{
    double passed_s = time_s - holding->changed_s;
    if (holding->now.bytes > 0 && passed_s > 0) {
        holding->byte_seconds += holding->now.bytes * passed_s;
        holding->held_s += passed_s;
    }
    holding->changed_s = fmax(holding->changed_s, time_s);
}

void holding_change(struct holding *holding, double time_s, uint64_t peak_number,
                    struct holding_sum more)
{
    if (holding->peak_number != peak_number) {
        holding->peak_number = peak_number;
        holding->at_peak = holding->now;
    }
    pass_time(holding, time_s);
    series_add(&holding->series, time_s, holding->now.bytes); // a plateau lasts until its end
    holding->now.bytes = fmax(0, holding->now.bytes + more.bytes);
    holding->now.square = fmax(0, holding->now.square + more.square);
    holding->most_bytes = fmax(holding->most_bytes, holding->now.bytes);
    series_add(&holding->series, time_s, holding->now.bytes);
}

struct holding_sum holding_at_peak(const struct holding *holding, uint64_t peak_number)
{
    return holding->peak_number == peak_number ? holding->at_peak : holding->now;
}

double holding_average(const struct holding *holding, double end_s)
{
    struct holding now = *holding;
    pass_time(&now, end_s);
    double average = now.held_s > 0 ? now.byte_seconds / now.held_s : now.now.bytes;
    return fmin(average, holding->most_bytes);
}

void holding_clear(struct holding *holding)
{
    series_clear(&holding->series);
    *holding = (struct holding){0};
}
