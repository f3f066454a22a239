// SPDX-License-Identifier: Apache-2.0
#pragma once

// Options from a file: a mapping from the keys of an option table to texts, numbers, flags, or
// lists of texts (which mean the same as texts joined by commas). YAML, or the table [tool.scalene]
// of a file whose name ends in .toml.

#include <stdbool.h>

#include "base/error.h"
#include "base/text.h"
#include "cli/option.h"

struct config {
    const char *path;
    const char *folder; // what paths in it are relative to; NULL: the current one
    const struct option_table *table;
    void *settings;
    struct text *notices; // a line for each key that is not known
};

__attribute__((warn_unused_result)) bool config_load(const struct config *config,
                                                     struct error *err);

// The whole file, if it is not too long.
__attribute__((warn_unused_result)) bool config_read_text(const char *path, struct text *content,
                                                          struct error *err);

struct config_value {
    const char *text;
    bool is_list;
    bool is_other; // a kind that no option takes
};

// For the readers: stores one value.
__attribute__((warn_unused_result)) bool config_take(const struct config *config, const char *key,
                                                     const struct config_value *value,
                                                     struct error *err);
