// SPDX-License-Identifier: Apache-2.0
#pragma once

// Shares of T, in percent: what tables show and files hold. In each record python + native +
// system + idle is at most 100, also after rounding.

#include "profile/profile.h"

struct percent {
    double python;
    double native;
    double system; // the kernel on behalf of the line
    double idle;   // nothing ran, and the main thread waited here
    double error;  // half-width of the 95 % interval of the CPU part, in points
};

struct percent percent_of(const struct profile *profile, const struct profile_times *times);
double percent_sum(const struct percent *percent);

// CPU and idle time of all lines of a file, summed.
struct profile_times percent_file_times(const struct profile_file *file);
