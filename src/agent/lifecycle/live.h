// SPDX-License-Identifier: Apache-2.0
#pragma once

// Sessions inside a program that was not started by `scalene run`: what python/scalene/_live.py
// calls, after it has loaded this library. docs/live.md has the order of things.

#include <stddef.h>

#define LIVE_EXPORT __attribute__((visibility("default")))

enum live_status {
    LIVE_OK,
    LIVE_IS_BUSY,   // this process is being profiled
    LIVE_NO_RUN,    // no control page of this version in the directory
    LIVE_NO_PYTHON, // no interpreter in this process
    LIVE_NO_ROOM,   // the ring could not be had
    LIVE_NO_SIGNAL, // the kernel refuses the handler
    LIVE_NO_HOOKS,  // this library cannot read its own symbols
};

// Whether this process is being profiled, be it from its start or by scalene_agent_start.
LIVE_EXPORT int scalene_agent_is_active(void);

// Starts the collector and has its reply. Returns 0 or an error number. Called without the GIL.
LIVE_EXPORT int scalene_agent_launch(char *const *arguments, char *const *environment, char *reply,
                                     size_t size);

// Joins the run in `run_dir`. Returns an enum live_status. Called with the GIL.
LIVE_EXPORT int scalene_agent_start(const char *run_dir);

// Ends the session, and asks the collector for the profile. Called with the GIL.
LIVE_EXPORT int scalene_agent_stop(void);

// An enum control_stage; -1 when the collector is gone.
LIVE_EXPORT int scalene_agent_stage(void);

// The answer was read: the run's directory and memory can go.
LIVE_EXPORT void scalene_agent_dismiss(void);
