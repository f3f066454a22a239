// SPDX-License-Identifier: Apache-2.0
#pragma once

// How busy an accelerator was over time, and the memory in use there, as readings tell: each stands
// for the time since the one before. Kept as sums, so that any stretch of it can be asked for.
// Bounded: of very many readings two neighbours become one. Zero-initialised is empty.

#include <stddef.h>

#include "profile/gpu.h"

struct gpu_point {
    double begin_s; // since the run's start, as all times here
    double end_s;
    double busy;
    double memory_mb;
    double peak_mb;
    struct profile_gpu sum; // of all until its end
};

struct gpu_curve {
    struct gpu_point *points; // in order, none overlaps
    size_t count;
    size_t capacity;
};

// What lies before the end of the last reading is cut off.
void gpu_curve_add(struct gpu_curve *curve, double begin_s, double end_s, double busy,
                   double memory_mb);

double gpu_curve_end_s(const struct gpu_curve *curve); // -infinity: no reading yet

// What was read of a stretch of time.
struct profile_gpu gpu_curve_between(const struct gpu_curve *curve, double begin_s, double end_s);

void gpu_curve_clear(struct gpu_curve *curve);
