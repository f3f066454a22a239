// SPDX-License-Identifier: Apache-2.0
#pragma once

// The project's own options: scalene.yaml, or pyproject.toml with a table [tool.scalene], in the
// current folder or the nearest one above it. The search ends with the folder that has a
// pyproject.toml or a .git, at the home folder, or at the root.

#include <stdbool.h>

#include "base/text.h"

struct project_file {
    char *path;   // as short as it can be said
    char *folder; // absolute
};

// False when there is none. A file counts if it is the user's own, root's, or of whoever owns the
// current folder: options can name programs to start, and a folder above may be everybody's. One
// that does not count adds a line to `notices`.
bool project_file_find(struct project_file *file, struct text *notices);
void project_file_clear(struct project_file *file);
