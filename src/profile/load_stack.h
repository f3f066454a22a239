// SPDX-License-Identifier: Apache-2.0
#pragma once

// The stacks of a saved profile: those sampled, and those that allocated. Equal frames become one.
// Bounded: of what a file lists beyond that the rest is left out.

#include <jansson.h>

#include "profile/profile.h"

void load_stacks(const json_t *root, struct profile *profile);
