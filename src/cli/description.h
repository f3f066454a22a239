// SPDX-License-Identifier: Apache-2.0
#pragma once

// What a profile says of the run itself, as it was asked for.

#include <stdint.h>

#include "cli/settings.h"
#include "cli/target.h"
#include "profile/filter.h"
#include "profile/profile.h"

// Which files are profiled. Points into both.
void description_make_filter(struct filter *filter, const struct settings *settings,
                             const struct target *target);

struct description {
    const struct settings *settings;
    const struct target *target;
    const struct filter *filter;
    const char *name;       // of the interpreter, as on the command line
    const char *executable; // where it is
    double start_unix_s;
    uint64_t start_ns; // CLOCK_MONOTONIC
};

void description_add(const struct description *description, struct profile *profile);
