// SPDX-License-Identifier: Apache-2.0
#pragma once

// A number of bytes that changes in steps, over time, in bounded space: when all spans are taken,
// they become twice as long. Of each the highest value and the last are kept, so that no peak is
// lost and no plateau becomes a slope. Zero-initialised is empty.

#include <stddef.h>

#include "profile/memory.h"

#define SERIES_SPAN_MAX 48u // two points each, the first and the latest: below the profile's limit

struct series_span {
    double high_s;
    double high;
    double last_s;
    double last;
};

struct series {
    struct series_span *spans;
    size_t count;
    size_t capacity;
    double width_s;
    double first_s;
    double first;
};

// A time before the last one counts as that one: processes tell the same time apart.
void series_add(struct series *series, double time_s, double bytes);

// All points in order of time, up to `end_s`. The caller frees them.
struct profile_point *series_points(const struct series *series, double end_s, size_t *count);

void series_clear(struct series *series);
