// SPDX-License-Identifier: Apache-2.0
#pragma once

// Reads TOML 1.0 and hands over each value as it comes, for a reader that wants one table of a file
// it did not write. It is lenient where that reader cannot care: keys said twice, and the spelling
// of numbers and dates, are not checked.

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

enum toml_kind {
    TOML_TEXT,
    TOML_WORD,  // a number, true or false, as it is written
    TOML_LIST,  // of these: `text` has them joined by commas
    TOML_OTHER, // a list of lists or tables
    TOML_TABLE, // its header, before its values; no text
};

struct toml_entry {
    const char *path; // keys joined by dots; a dot in a key has a backslash before it
    enum toml_kind kind;
    const char *text;
};

struct toml_taker {
    void *context;
    bool (*take)(void *context, const struct toml_entry *entry, struct error *err);
};

// False when the text is no TOML, with its line in *line, or when `take` said so, with *line 0.
__attribute__((warn_unused_result)) bool toml_read(const char *text, size_t len,
                                                   const struct toml_taker *taker, unsigned *line,
                                                   struct error *err);
