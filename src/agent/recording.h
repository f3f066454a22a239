// SPDX-License-Identifier: Apache-2.0
#pragma once

// A stay in the part of the agent that records memory: while it lasts the thread's timers only
// leave word, and what it allocates itself is not sampled. One stay in 64 is timed. Context: any
// thread, signal handler

#include <stdbool.h>
#include <stdint.h>

struct recording {
    int saved_errno;
    bool is_timed;
    uint64_t began_ns;
    uint64_t clock_ns; // what reading the clock takes
};

// False: the thread is in the agent already, and nothing can be recorded.
bool recording_begin(struct recording *recording);

void recording_end(const struct recording *recording);
