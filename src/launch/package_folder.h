// SPDX-License-Identifier: Apache-2.0
#pragma once

// Where the Python package of this command is: in the source tree, where `make install` puts it, or
// where pip has put the wheel that the command came with.

#include "launch/run_dir.h"

// The folder to search for the package, which belongs to the caller; NULL when it is nowhere near
// the agent's library.
char *package_folder_find(const char *agent);

// Tells the agent, for programs that import the package and whose interpreter does not hold it.
void package_folder_tell(const struct run_dir *dir, const char *agent);
