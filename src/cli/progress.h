// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the run is at while the program goes on: elapsed time, CPU, memory, the hottest line. It is
// shown where it cannot get into the program's output: in the title of the terminal that is stderr,
// or in one line of the terminal if neither output nor errors of the program go there.

#include <stdbool.h>

struct collector;

enum progress_place {
    PROGRESS_NOWHERE,
    PROGRESS_TITLE,
    PROGRESS_LINE,
};

struct progress {
    enum progress_place place;
    int fd;
    double next_s; // when it is shown again, since the program's start
    double last_s;
    double last_cpu_s;
};

void progress_open(struct progress *progress, bool is_wanted);

// To be called often; shows something twice a second.
void progress_step(struct progress *progress, struct collector *collector, double elapsed_s);

// Leaves the terminal as it was.
void progress_close(struct progress *progress);
