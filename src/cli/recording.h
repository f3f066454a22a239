// SPDX-License-Identifier: Apache-2.0
#pragma once

// One profiled run of a program, from its start to the saved profile.

#include "base/error.h"
#include "cli/settings.h"
#include "cli/target.h"
#include "launch/interpreter.h"

struct recording_plan {
    const struct settings *settings;
    const struct target *target;
    const struct interpreter *interpreter;
    const char *agent;   // library
    const char *outfile; // where the profile goes
};

// Ends scalene as the program ended. Returns, false, only if the program could not be started.
__attribute__((warn_unused_result)) bool recording_run(const struct recording_plan *plan,
                                                       struct error *err);
