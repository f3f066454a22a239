// SPDX-License-Identifier: Apache-2.0
#include "profile/statement.h"

#include <string.h>

#include "profile/literal.h"

void statement_start(struct statement_reader *reader, const struct source *source)
{
    *reader = (struct statement_reader){.line = 1};
    if (source->line_count > 0) {
        reader->at = source->lines[0].text;
        reader->end = source->text + source->len;
    }
}

static bool is_word_byte(char c)
{
    unsigned char byte = (unsigned char)c;
    unsigned char lower = byte | 0x20;
    return (lower >= 'a' && lower <= 'z') || (byte >= '0' && byte <= '9') || byte == '_' ||
           byte >= 0x80;
}

static size_t line_end_len(const char *at, const char *end)
{
    if (at < end && *at == '\n') {
        return 1;
    }
    if (at < end && *at == '\r') {
        return at + 1 < end && at[1] == '\n' ? 2 : 1;
    }
    return 0;
}

static void skip_comment(struct statement_reader *reader)
{
    while (reader->at < reader->end && line_end_len(reader->at, reader->end) == 0) {
        reader->at++;
    }
}

// Skips lines without a token and returns the indentation of the first that has one.
static int skip_to_token(struct statement_reader *reader)
{
    int indent = 0;
    while (reader->at < reader->end) {
        size_t newline = line_end_len(reader->at, reader->end);
        if (newline > 0) {
            reader->at += newline;
            reader->line++;
            indent = 0;
        } else if (*reader->at == '#') {
            skip_comment(reader);
        } else if (*reader->at == ' ') {
            indent++;
            reader->at++;
        } else if (*reader->at == '\t') {
            indent = (indent / 8 + 1) * 8;
            reader->at++;
        } else if (*reader->at == '\f') {
            indent = 0;
            reader->at++;
        } else {
            break;
        }
    }
    return indent;
}

struct scan {
    int depth;   // of brackets
    int lambdas; // outside brackets, whose colons are still to come
};

static void scan_word(struct statement_reader *reader, struct scan *scan)
{
    const char *word = reader->at;
    while (reader->at < reader->end && is_word_byte(*reader->at)) {
        reader->at++;
    }
    size_t len = (size_t)(reader->at - word);
    bool is_quote = reader->at < reader->end && (*reader->at == '"' || *reader->at == '\'');
    if (is_quote && literal_is_prefix(word, len)) {
        reader->at = literal_skip(reader->at, reader->end, word, len, &reader->line);
    } else if (scan->depth == 0 && statement_is_word(word, len, "lambda")) {
        scan->lambdas++;
    }
}

static void scan_colon(struct statement_reader *reader, struct scan *scan,
                       struct statement *statement)
{
    bool is_walrus = reader->at + 1 < reader->end && reader->at[1] == '=';
    if (scan->depth == 0 && !is_walrus) {
        if (scan->lambdas > 0) {
            scan->lambdas--;
        } else if (statement->colon == 0) {
            statement->colon = (size_t)(reader->at - statement->text);
        }
    }
    reader->at += is_walrus ? 2 : 1;
}

static void scan_token(struct statement_reader *reader, struct scan *scan,
                       struct statement *statement)
{
    char c = *reader->at;
    if (is_word_byte(c)) {
        scan_word(reader, scan);
    } else if (c == '"' || c == '\'') {
        reader->at = literal_skip(reader->at, reader->end, "", 0, &reader->line);
    } else if (c == ':') {
        scan_colon(reader, scan, statement);
    } else {
        if (strchr("([{", c)) {
            scan->depth++;
        } else if (strchr(")]}", c) && scan->depth > 0) {
            scan->depth--;
        }
        reader->at++;
    }
}

// Whether a body's statement stands on the header's line.
static bool has_inline_body(const struct statement *statement)
{
    if (statement->colon == 0) {
        return false;
    }
    const char *rest = statement->text + statement->colon + 1;
    const char *end = statement->text + statement->len;
    while (rest < end && strchr(" \t\f", *rest)) {
        rest++;
    }
    return rest < end && !strchr("#\r\n\\", *rest);
}

bool statement_next(struct statement_reader *reader, struct statement *statement)
{
    int indent = skip_to_token(reader);
    if (reader->at >= reader->end) {
        return false;
    }
    *statement = (struct statement){.first_line = reader->line,
                                    .last_line = reader->line,
                                    .indent = indent,
                                    .text = reader->at};
    struct scan scan = {0};
    while (reader->at < reader->end) {
        size_t newline = line_end_len(reader->at, reader->end);
        if (newline > 0 && scan.depth == 0) {
            break;
        }
        if (newline > 0) {
            reader->at += newline;
            reader->line++;
        } else if (*reader->at == '#') {
            skip_comment(reader);
        } else if (*reader->at == '\\' && line_end_len(reader->at + 1, reader->end) > 0) {
            reader->at += 1 + line_end_len(reader->at + 1, reader->end);
            reader->line++;
        } else if (strchr(" \t\f\\", *reader->at)) {
            reader->at++; // a NUL goes here too: strchr finds it
        } else {
            scan_token(reader, &scan, statement);
            statement->last_line = reader->line;
        }
    }
    statement->len = (size_t)(reader->at - statement->text);
    statement->has_inline_body = has_inline_body(statement);
    return true;
}

size_t statement_word(const struct statement *statement, size_t *offset, const char **word)
{
    const char *at = statement->text + *offset;
    const char *end = statement->text + statement->len;
    while (at < end && (*at == '\0' || strchr(" \t\f\\\r\n", *at))) {
        at++;
    }
    *word = at;
    while (at < end && is_word_byte(*at)) {
        at++;
    }
    *offset = (size_t)(at - statement->text);
    return (size_t)(at - *word);
}

bool statement_is_word(const char *word, size_t len, const char *expected)
{
    return len == strlen(expected) && memcmp(word, expected, len) == 0;
}
