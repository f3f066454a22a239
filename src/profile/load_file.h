// SPDX-License-Identifier: Apache-2.0
#pragma once

// The "files" of a profile being loaded: lines, functions and source text.

#include <jansson.h>

#include "profile/profile.h"

// The profile's totals and format version are known already.
void load_files(const json_t *files, struct profile *profile);
