// SPDX-License-Identifier: Apache-2.0
#pragma once

// The code in a model's answer, made to fit into the place of a region: indented as the region is,
// with the region's line ends. It is text and stays text; nobody runs it.

#include <stdbool.h>

#include "base/error.h"
#include "base/text.h"
#include "suggest/region.h"

// False if the answer has no block of code in Python.
bool replacement_read(struct text *code, const char *answer, const struct region *region,
                      struct error *err) __attribute__((warn_unused_result));
