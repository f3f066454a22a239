// SPDX-License-Identifier: Apache-2.0
#pragma once

// Bytes over time as a row of little bars.

#include "profile/memory.h"
#include "render/paint.h"

struct sparkline {
    const struct profile_point *points; // steps, in order of time
    size_t count;
    double end_s; // the row is from 0 to here
    double max_mb;
};

// One bar a column, each as high as the highest value in its time.
void sparkline_add(const struct canvas *canvas, const struct sparkline *line, size_t width,
                   struct text *out);
