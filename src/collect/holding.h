// SPDX-License-Identifier: Apache-2.0
#pragma once

// How many bytes somebody holds: now, at most, on the average, and when the whole footprint was
// highest. That last one is kept lazily: peaks are numbered, and a holding that changes after a
// peak first notes what it held at it. Zero-initialised holds nothing.

#include <stdint.h>

#include "collect/series.h"

// A sum of blocks. The square is of the weights of those that chance has chosen: what may be wrong
// with the bytes (docs/memory.md).
struct holding_sum {
    double bytes;
    double square;
};

struct holding {
    struct holding_sum now;
    struct holding_sum at_peak;
    uint64_t peak_number; // that at_peak is for
    double most_bytes;
    double byte_seconds;
    double held_s; // how long there was anything
    double changed_s;
    struct series series;
};

// `more` may be negative.
void holding_change(struct holding *holding, double time_s, uint64_t peak_number,
                    struct holding_sum more);

struct holding_sum holding_at_peak(const struct holding *holding, uint64_t peak_number);

// Over the time that it held anything, until `end_s`.
double holding_average(const struct holding *holding, double end_s);

void holding_clear(struct holding *holding);
