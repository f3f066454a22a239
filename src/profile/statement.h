// SPDX-License-Identifier: Apache-2.0
#pragma once

// The logical lines of a Python source text, one after the other: strings of all sorts, brackets,
// comments and continued lines are seen through, nothing is parsed.

#include <stdbool.h>
#include <stddef.h>

#include "profile/source.h"

struct statement {
    int first_line;
    int last_line;
    int indent;       // in columns, tab stops every eight as in Python
    const char *text; // from the first token on, comments and line ends included
    size_t len;
    size_t colon;         // offset of what may open a block's body; 0: there is none
    bool has_inline_body; // something stands behind the colon
};

struct statement_reader {
    const char *at;
    const char *end;
    int line; // of `at`
};

void statement_start(struct statement_reader *reader, const struct source *source);
bool statement_next(struct statement_reader *reader, struct statement *statement);

// The word at an offset, empty if there is none: letters, digits, underscores and whatever is not
// ASCII. Blanks and continued line ends before it are skipped; *offset moves behind it.
size_t statement_word(const struct statement *statement, size_t *offset, const char **word);
bool statement_is_word(const char *word, size_t len, const char *expected);
