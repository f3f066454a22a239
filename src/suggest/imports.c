// SPDX-License-Identifier: Apache-2.0
#include "suggest/imports.h"

#include <stdbool.h>
#include <string.h>

#include "profile/statement.h"

// Offset of what is imported; 0: it is no such statement.
static size_t imported_at(const struct statement *statement, bool *is_from)
{
    const char *word;
    size_t offset = 0;
    size_t len = statement_word(statement, &offset, &word);
    *is_from = statement_is_word(word, len, "from");
    return *is_from || statement_is_word(word, len, "import") ? offset : 0;
}

void imports_add(struct text *out, const struct source *source)
{
    struct statement_reader reader;
    struct statement statement;
    size_t start = out->len;
    size_t count = 0;
    statement_start(&reader, source);
    while (count < IMPORTS_MAX && statement_next(&reader, &statement)) {
        bool is_from;
        if (statement.indent > 0 || imported_at(&statement, &is_from) == 0 ||
            out->len - start + statement.len > IMPORTS_BYTES_MAX) {
            continue;
        }
        text_add_bytes(out, statement.text, statement.len);
        while (out->len > start && strchr("\r\n", out->data[out->len - 1])) {
            out->len--;
        }
        text_add_char(out, '\n');
        count++;
    }
}

// A relative import has no word here: it names no package that pip knows.
static void add_package(struct names *packages, const struct statement *statement, size_t *offset)
{
    const char *word;
    size_t len = statement_word(statement, offset, &word);
    if (len > 0) {
        names_add(packages, word, len);
    }
}

void imports_packages(struct names *packages, const struct source *source)
{
    struct statement_reader reader;
    struct statement statement;
    statement_start(&reader, source);
    while (packages->count < IMPORTS_MAX && statement_next(&reader, &statement)) {
        bool is_from;
        size_t offset = imported_at(&statement, &is_from);
        if (offset == 0) {
            continue;
        }
        add_package(packages, &statement, &offset);
        const char *comma = statement.text + offset;
        const char *end = statement.text + statement.len;
        while (!is_from && packages->count < IMPORTS_MAX &&
               (comma = memchr(comma, ',', (size_t)(end - comma))) != NULL) {
            offset = (size_t)(++comma - statement.text);
            add_package(packages, &statement, &offset);
        }
    }
}
