// SPDX-License-Identifier: Apache-2.0
#pragma once

// What is done between the program's end and ours. If it takes long, a terminal at stderr shows how
// far it is.

#include <stdbool.h>
#include <stddef.h>

struct last_work {
    bool is_shown_at_all;
    bool is_shown_now;
    double began_s;
    double shown_s;
    const char *what;
};

void last_work_begin(struct last_work *work);

// What is done from now on.
void last_work_name(struct last_work *work, const char *what);

// How far it is: a struct watcher's step, with the work as its context.
void last_work_step(void *work, size_t done, size_t total);

// Clears the line.
void last_work_end(struct last_work *work);
