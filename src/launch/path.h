// SPDX-License-Identifier: Apache-2.0
#pragma once

// Paths as text. What is returned belongs to the caller.

#include <stddef.h>

// Absolute, with ".", ".." and doubled slashes taken out as os.path.abspath does: by the text
// alone.
char *path_absolute(const char *path);

// What stands before the last slash: "." when there is none, "/" for the root's own entries.
char *path_parent(const char *path);

// What stands after the last slash, inside `path`.
const char *path_name(const char *path);

char *path_join(const char *directory, const char *name);

// The first executable file `name` in the directories of `search` (as PATH is written); NULL when
// there is none. A name with a slash is not searched for, only looked at.
char *path_find_program(const char *name, const char *search);
