// SPDX-License-Identifier: Apache-2.0
#pragma once

// The import statements of a source text, as they stand in it.

#include "base/map.h"
#include "base/text.h"
#include "profile/source.h"

#define IMPORTS_MAX       50 // statements; a file has few that matter for one region
#define IMPORTS_BYTES_MAX 4096

// The statements of the module itself, a line each or as many as they have.
void imports_add(struct text *out, const struct source *source);

// The names of the packages that are imported anywhere, without what follows a dot; at most
// IMPORTS_MAX.
void imports_packages(struct names *packages, const struct source *source);
