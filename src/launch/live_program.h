// SPDX-License-Identifier: Apache-2.0
#pragma once

// A program that was running before scalene came: not our child. It asked for a collector, joins
// the run by itself, and says when that is to end. docs/live.md has both sides.

#include <stdbool.h>

#include "base/error.h"
#include "launch/run_dir.h"

struct live_program {
    int pid;
    int pidfd; // -1: the kernel is too old for it
    const struct run_dir *dir;
    double looked_s; // when it was last seen to have the run's page
};

enum live_program_state {
    LIVE_PROGRAM_RUNS,
    LIVE_PROGRAM_STOPS, // it has asked for the end of the run, and goes on
    LIVE_PROGRAM_ENDED, // or has become another program
};

// False when there is no such process.
__attribute__((warn_unused_result)) bool live_program_find(struct live_program *program, int pid,
                                                           const struct run_dir *dir,
                                                           struct error *err);

// Stands by for `timeout_ms` at most.
enum live_program_state live_program_wait(struct live_program *program, int timeout_ms);

// Tells it what has become of the profile: its path, or `!` and what went wrong. Returns once the
// program has read that, or does not seem to want to.
void live_program_answer(struct live_program *program, const char *answer);

void live_program_clear(struct live_program *program);
