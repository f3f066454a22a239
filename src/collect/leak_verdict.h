// SPDX-License-Identifier: Apache-2.0
#pragma once

// Whether a line leaks, by its life table: see docs/leaks.md.

#include <stdbool.h>

#include "collect/leak.h"

struct leak_verdict {
    bool is_leak;        // to be reported
    double likelihood;   // 0 to 1
    double velocity_b_s; // bytes a second that stay
};

// As of now, or of the end of the run: before the interpreter frees what is left at its exit. The
// tables are only brought up to date.
struct leak_verdict leak_verdict(struct leak_book *book, struct life_table *line, double now_s);
