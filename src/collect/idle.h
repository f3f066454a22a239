// SPDX-License-Identifier: Apache-2.0
#pragma once

// When nothing ran: the wall time in which every thread of the tree was blocked, and what the root
// process's main thread waited for then. Time is cut into at most some ten thousand bins, which
// double in width when the run gets too long for them; in a bin threads are taken as independent.

#include <stdbool.h>
#include <stdint.h>

struct idle;

struct idle *idle_new(double start_s);
void idle_free(struct idle *idle);

// A thread was running from one moment to another, for that part of the time.
struct idle_thread {
    int64_t bin; // the one that is being added up
    double busy_s;
};

void idle_add_busy(struct idle *idle, struct idle_thread *thread, double from_s, double to_s,
                   double part);
// No more of this thread is coming.
void idle_thread_ends(struct idle *idle, struct idle_thread *thread);

// The main thread waited on this line.
void idle_add_wait(struct idle *idle, uint32_t spot, double from_s, double to_s);

// Gives out the idle seconds from `start_s` to `end_s`, spot by spot.
void idle_share(const struct idle *idle, double start_s, double end_s,
                void (*add)(void *context, uint32_t spot, double seconds), void *context);
