// SPDX-License-Identifier: Apache-2.0
#pragma once

// Python's string literals, as far as one must know them to find where they end: all prefixes,
// triple quotes, and formatted ones with the expressions in their braces, which may hold further
// literals with any quotes (3.12 and later; earlier versions allow less of the same).

#include <stdbool.h>
#include <stddef.h>

// Whether a word in front of a quote belongs to the literal: r, b, u, f, t and their pairs.
bool literal_is_prefix(const char *word, size_t len);

// `at` is the opening quote. Returns what is behind the closing one, or behind the line's end if
// the literal is never closed; adds the line ends passed to *line.
const char *literal_skip(const char *at, const char *end, const char *prefix, size_t prefix_len,
                         int *line);
