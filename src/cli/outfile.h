// SPDX-License-Identifier: Apache-2.0
#pragma once

// Where the profile goes. Whether it can be written is said before the program starts.

#include <stdbool.h>

#include "base/error.h"

#define OUTFILE_DEFAULT "scalene-profile.json"

// The path for what was asked for (NULL: the default): its ending is replaced by .json. Belongs to
// the caller.
__attribute__((warn_unused_result)) bool outfile_choose(char **path, const char *asked,
                                                        struct error *err);
