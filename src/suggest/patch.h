// SPDX-License-Identifier: Apache-2.0
#pragma once

// What proposals change, as a patch that `patch -p1` and `git apply` take: each file once, what
// changes in it from its top to its end.

#include <stddef.h>

#include "base/text.h"
#include "suggest/diff.h"

// The regions must not overlap. `directory` is what the patch's paths are relative to, if a file is
// below it; NULL: none. Adds nothing if nothing changes.
void patch_add(struct text *out, const struct diff *diffs, size_t count, const char *directory);
