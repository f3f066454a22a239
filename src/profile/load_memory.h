// SPDX-License-Identifier: Apache-2.0
#pragma once

// What a profile being loaded says about memory.

#include <jansson.h>

#include "profile/profile.h"

// Of a line's or a function's record. The profile's version and elapsed time are known already.
void load_memory(const struct profile *profile, const json_t *object,
                 struct profile_memory *memory);

// Of the whole document.
void load_footprint(const json_t *root, struct profile *profile);
