// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which versions of the libraries that a source text imports are installed beside an interpreter
// now, which need not be those of the run: read from the names of the folders that pip leaves,
// without running anything.

#include "base/text.h"
#include "profile/source.h"

// Adds "numpy 1.26.4, scipy 1.13.0": those that are found, in the order of the imports.
void versions_add(struct text *out, const struct source *source, const char *python_executable,
                  const char *python_version);
