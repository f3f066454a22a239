// SPDX-License-Identifier: Apache-2.0
#pragma once

// When the program stood still (Ctrl-Z, SIGSTOP), in the order in which it did. Of the oldest
// beyond some score only the sum is kept: nobody asks for times before them any more.

#include <stddef.h>
#include <stdint.h>

#define PAUSE_MAX 32u

struct pause_list {
    struct pause {
        uint64_t begin_ns; // CLOCK_MONOTONIC
        uint64_t end_ns;
    } list[PAUSE_MAX];

    size_t count;
    double forgotten_ns;
};

// What ends before it begins is left out.
void pause_list_add(struct pause_list *pauses, uint64_t begin_ns, uint64_t end_ns);

// How much of them lies before that moment, in ns.
double pause_list_before(const struct pause_list *pauses, uint64_t time_ns);
