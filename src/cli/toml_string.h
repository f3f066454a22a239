// SPDX-License-Identifier: Apache-2.0
#pragma once

// The four kinds of strings in TOML: "basic", 'literal', and both in triple quotes over lines.

#include <stdbool.h>

#include "base/error.h"
#include "base/text.h"

struct toml_cursor {
    const char *at;
    const char *end;
};

// The next character; NUL at the end.
char toml_cursor_peek(const struct toml_cursor *cursor);

// The cursor stands at a quote, and is left behind the closing one.
__attribute__((warn_unused_result)) bool toml_string_read(struct toml_cursor *cursor,
                                                          struct text *out, struct error *err);
