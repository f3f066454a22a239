// SPDX-License-Identifier: Apache-2.0
#pragma once

// How much of the run is at stake at some lines: shares of its time and memory, 0 to 1, which add
// up.

#include "profile/profile.h"

#define STAKE_LEAST 0.01 // less is not worth a question

struct stake {
    double time;
    double held; // of what was held at the peak
    double allocated;
};

struct stake stake_of(const struct profile *profile, const struct profile_times *times,
                      const struct profile_memory *memory);
struct stake stake_sum(const struct stake *one, const struct stake *other);

// Of what was held at the peak or of all that was allocated, whichever is more.
double stake_memory(const struct stake *stake);
