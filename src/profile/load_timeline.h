// SPDX-License-Identifier: Apache-2.0
#pragma once

// The samples of a saved profile in the order in which they were taken. Bounded: of what a file
// lists beyond that the rest is left out, and so is what goes back in time or names no stack.

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "profile/profile.h"

// The profile's stacks are known already.
void load_timeline(const json_t *list, struct profile *profile);

// The same from the list's text, without an object a sample: there may be a million. False if it
// has anything that samples do not have; nothing was added then, and the other one has the word.
bool load_timeline_text(const char *text, size_t len, struct profile *profile);
