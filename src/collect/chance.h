// SPDX-License-Identifier: Apache-2.0
#pragma once

// How surprising a count, a mean or a drift is, if there is nothing behind it. Each is a
// probability, or a bound above it.

#include <stddef.h>

// That a Poisson count of this mean is no larger.
double chance_of_so_few(double count, double mean);

// That `count` moments, drawn from a rate that falls by exp(-decay) from 0 to 1, have a mean so
// late.
double chance_of_so_late(double mean_time, double count, double decay);

// That independent normal steps around zero drift so far up. `count` is even, 4 at least.
double chance_of_such_drift(const double *steps, size_t count);
