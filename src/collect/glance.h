// SPDX-License-Identifier: Apache-2.0
#pragma once

// The run as it stands, for a line of progress: cheap enough to be looked at twice a second.

#include <stddef.h>

struct collector;

struct glance {
    double cpu_s;       // of all processes so far
    double resident_mb; // of those that live
    size_t process_count;
    const char *file; // of the line that has used most CPU; NULL: none yet
    int line;
    double share; // of the CPU time sampled, 0 to 1
};

// `file` holds until the next drain.
void glance_take(struct collector *collector, struct glance *glance);
