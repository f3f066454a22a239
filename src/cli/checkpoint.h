// SPDX-License-Identifier: Apache-2.0
#pragma once

// The profile of a run that goes on, kept in the run's directory in case scalene is killed: soon
// after the start, then every ten seconds. A copy of this process writes it, so that rings are read
// on meanwhile; the last copy stays, asleep, and should this process be killed goes on reading in
// its place, silently, until the program ends and all that are waited for. `scalene recover` writes
// the checkpoint out.

#include <stdbool.h>
#include <sys/types.h>

#include "collect/collector.h"
#include "launch/copy.h"
#include "profile/profile.h"

struct checkpoint_plan {
    struct collector *collector;
    struct profile *(*make)(void *context); // of what is known by now; the caller frees it
    void *context;
    const char *run_dir;
    pid_t root_pid;          // the program
    bool waits_for_children; // who goes on when that has ended is waited for
};

struct checkpoint {
    struct checkpoint_plan plan;
    char *path;
    struct checkpoint_news *news; // from the copy; NULL: there can be no checkpoints
    struct copy copy;
    pid_t original;  // this process
    double start_s;  // these are CLOCK_MONOTONIC
    double last_s;   // when the last copy was made
    double killed_s; // in a copy that goes on: when it noticed; else 0
    double next_s;
    double step_s;
};

void checkpoint_open(struct checkpoint *checkpoint, const struct checkpoint_plan *plan);

// Makes one if it is time. Returns the seconds until it is to be called again.
double checkpoint_tick(struct checkpoint *checkpoint);

// The profile has just been saved: what was kept until now is older, and goes. The next one is made
// at the next tick.
void checkpoint_renew(struct checkpoint *checkpoint);

// Ends the copy; the file goes with the run's directory.
void checkpoint_close(struct checkpoint *checkpoint);
