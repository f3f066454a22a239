// SPDX-License-Identifier: Apache-2.0
#pragma once

// One profiled stretch of a program that was running before, from the moment that it asks for it to
// the saved profile.

#include "base/error.h"
#include "cli/settings.h"
#include "cli/target.h"

struct live_recording_plan {
    const struct settings *settings;
    const struct target *target;
    const char *outfile;
    int pid;
};

// Says on standard output where the run's directory is, closes its outputs, and stays until the
// program asks for the profile or ends. False when it could not begin.
__attribute__((warn_unused_result)) bool live_recording_run(const struct live_recording_plan *plan,
                                                            struct error *err);
