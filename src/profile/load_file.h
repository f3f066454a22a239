// SPDX-License-Identifier: Apache-2.0
#pragma once

// The "files" of a profile being loaded: lines, functions and source text.

#include <jansson.h>
#include <stdbool.h>

#include "profile/profile.h"
#include "profile/squeeze.h"

// The profile's totals and format version are known already. Of a squeezed profile the records of
// lines are in `squeezed`, NULL otherwise; false if these are not JSON.
bool load_files(const json_t *files, const struct squeezed *squeezed, struct profile *profile);
