// SPDX-License-Identifier: Apache-2.0
#pragma once

// A line of a profile, as a user names it.

#include <stdbool.h>

#include "base/error.h"
#include "profile/profile.h"

struct place {
    const struct profile_file *file;
    int line;
};

// "train.py:88": a path, or the end of one if no other file ends so.
bool place_read(struct place *place, const struct profile *profile, const char *words,
                struct error *err) __attribute__((warn_unused_result));
