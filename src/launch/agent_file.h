// SPDX-License-Identifier: Apache-2.0
#pragma once

// Where the agent's library is: beside the executable, in ../lib/scalene/ once installed, or in
// ../agent/ in a build tree. Belongs to the caller.

#include <stdbool.h>

#include "base/error.h"

__attribute__((warn_unused_result)) bool agent_file_find(char **path, struct error *err);
