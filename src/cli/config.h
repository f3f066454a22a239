// SPDX-License-Identifier: Apache-2.0
#pragma once

// A YAML file of options: one mapping from the keys of an option table to texts, numbers, flags, or
// lists of texts (which mean the same as texts joined by commas).

#include <stdbool.h>

#include "base/error.h"
#include "base/text.h"
#include "cli/option.h"

// A key without a value changes nothing; one that is not known adds a line to `warnings`.
__attribute__((warn_unused_result)) bool config_load(const char *path,
                                                     const struct option_table *table,
                                                     void *settings, struct text *warnings,
                                                     struct error *err);
