// SPDX-License-Identifier: Apache-2.0
#include "cli/toml.h"

#include <string.h>

#include "base/text.h"
#include "cli/toml_string.h"

#define MAX_DEPTH 16 // of lists and tables in one another

struct reader {
    struct toml_cursor cursor;
    const struct toml_taker *taker; // NULL: what is read is not handed over
    struct text path;               // of the table or key that is being read
    bool is_refused;                // by the taker
};

static bool read_value(struct reader *reader, int depth, struct error *err);

static bool fail(struct error *err, const char *what)
{
    return error_set(err, "%s", what);
}

static char peek(const struct reader *reader)
{
    return toml_cursor_peek(&reader->cursor);
}

static bool accept(struct reader *reader, char c)
{
    if (peek(reader) != c) {
        return false;
    }
    reader->cursor.at++;
    return true;
}

static void skip_blanks(struct reader *reader)
{
    while (peek(reader) == ' ' || peek(reader) == '\t') {
        reader->cursor.at++;
    }
}

static void skip_comment(struct reader *reader)
{
    if (peek(reader) == '#') {
        while (reader->cursor.at < reader->cursor.end && *reader->cursor.at != '\n') {
            reader->cursor.at++;
        }
    }
}

// Blanks, comments and line ends, as they may stand between the values of a list.
static void skip_lines(struct reader *reader)
{
    for (;;) {
        skip_blanks(reader);
        skip_comment(reader);
        accept(reader, '\r');
        if (!accept(reader, '\n')) {
            return;
        }
    }
}

static bool end_line(struct reader *reader, struct error *err)
{
    skip_blanks(reader);
    skip_comment(reader);
    accept(reader, '\r');
    bool is_end = reader->cursor.at == reader->cursor.end || accept(reader, '\n');
    return is_end ? true : fail(err, "the line goes on where it should end");
}

static bool is_bare(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '_';
}

static bool read_key_part(struct reader *reader, struct error *err)
{
    if (peek(reader) == '"' || peek(reader) == '\'') {
        struct text name = {0};
        bool is_fine = toml_string_read(&reader->cursor, &name, err);
        for (size_t i = 0; is_fine && i < name.len; i++) {
            text_add(&reader->path, name.data[i] == '.' ? "\\" : "");
            text_add_char(&reader->path, name.data[i]);
        }
        text_clear(&name);
        return is_fine;
    }
    if (!is_bare(peek(reader))) {
        return fail(err, "a key was expected");
    }
    while (is_bare(peek(reader))) {
        text_add_char(&reader->path, *reader->cursor.at++);
    }
    return true;
}

// Adds "a.b.c" to the path.
static bool read_key(struct reader *reader, struct error *err)
{
    do {
        skip_blanks(reader);
        text_add(&reader->path, reader->path.len > 0 ? "." : "");
        if (!read_key_part(reader, err)) {
            return false;
        }
        skip_blanks(reader);
    } while (accept(reader, '.'));
    return true;
}

static void cut_path(struct reader *reader, size_t len)
{
    reader->path.len = len;
    if (reader->path.data) {
        reader->path.data[len] = '\0';
    }
}

static bool hand_over(struct reader *reader, enum toml_kind kind, const char *text,
                      struct error *err)
{
    struct toml_entry entry = {
        .path = reader->path.data ? reader->path.data : "", .kind = kind, .text = text};
    if (!reader->taker) {
        return true;
    }
    reader->is_refused = !reader->taker->take(reader->taker->context, &entry, err);
    return !reader->is_refused;
}

static bool read_pair(struct reader *reader, int depth, struct error *err)
{
    size_t len = reader->path.len;
    if (!read_key(reader, err)) {
        return false;
    }
    if (!accept(reader, '=')) {
        return fail(err, "'=' was expected after a key");
    }
    skip_blanks(reader);
    bool is_fine = read_value(reader, depth, err);
    cut_path(reader, len);
    return is_fine;
}

static bool read_inline_table(struct reader *reader, int depth, struct error *err)
{
    reader->cursor.at++;
    skip_blanks(reader);
    if (!hand_over(reader, TOML_TABLE, NULL, err)) {
        return false;
    }
    if (accept(reader, '}')) {
        return true;
    }
    do {
        if (!read_pair(reader, depth + 1, err)) {
            return false;
        }
        skip_blanks(reader);
    } while (accept(reader, ','));
    return accept(reader, '}') ? true : fail(err, "'}' was expected");
}

// A number, a date, true or false: taken as it is written.
static bool read_word(struct reader *reader, struct text *word, struct error *err)
{
    const char *start = reader->cursor.at;
    while (is_bare(peek(reader)) || (peek(reader) && strchr("+.:", peek(reader)))) {
        char c = *reader->cursor.at++;
        if (c != '_') { // 1_000
            text_add_char(word, c);
        }
    }
    return reader->cursor.at > start ? true : fail(err, "a value was expected");
}

static bool read_scalar(struct reader *reader, struct text *text, bool *is_text, struct error *err)
{
    *is_text = peek(reader) == '"' || peek(reader) == '\'';
    text_add(text, "");
    return *is_text ? toml_string_read(&reader->cursor, text, err) : read_word(reader, text, err);
}

// What is inside a list of lists or of tables is read over.
static bool skip_nested(struct reader *reader, int depth, struct error *err)
{
    const struct toml_taker *taker = reader->taker;
    reader->taker = NULL;
    bool is_fine = read_value(reader, depth, err);
    reader->taker = taker;
    return is_fine;
}

static bool read_element(struct reader *reader, struct text *joined, bool *is_plain, int depth,
                         struct error *err)
{
    if (peek(reader) == '[' || peek(reader) == '{') {
        *is_plain = false;
        return skip_nested(reader, depth + 1, err);
    }
    bool is_text;
    text_add(joined, joined->len > 0 ? "," : "");
    return read_scalar(reader, joined, &is_text, err);
}

static bool read_list(struct reader *reader, int depth, struct error *err)
{
    struct text joined = {0};
    text_add(&joined, "");
    bool is_plain = true;
    bool is_fine = true;
    reader->cursor.at++;
    skip_lines(reader);
    while (is_fine && peek(reader) != ']') {
        is_fine = read_element(reader, &joined, &is_plain, depth, err);
        skip_lines(reader);
        if (is_fine && !accept(reader, ',') && peek(reader) != ']') {
            is_fine = fail(err, "',' or ']' was expected");
        }
        skip_lines(reader);
    }
    is_fine = is_fine && accept(reader, ']') &&
              hand_over(reader, is_plain ? TOML_LIST : TOML_OTHER, joined.data, err);
    text_clear(&joined);
    return is_fine;
}

static bool read_value(struct reader *reader, int depth, struct error *err)
{
    if (depth > MAX_DEPTH) {
        return fail(err, "lists or tables are nested too deeply");
    }
    if (peek(reader) == '[') {
        return read_list(reader, depth, err);
    }
    if (peek(reader) == '{') {
        return read_inline_table(reader, depth, err);
    }
    struct text text = {0};
    bool is_text = false;
    bool is_fine = read_scalar(reader, &text, &is_text, err) &&
                   hand_over(reader, is_text ? TOML_TEXT : TOML_WORD, text.data, err);
    text_clear(&text);
    return is_fine;
}

static bool read_header(struct reader *reader, struct error *err)
{
    reader->cursor.at++;
    bool is_array = accept(reader, '[');
    cut_path(reader, 0);
    if (!read_key(reader, err)) {
        return false;
    }
    if (!accept(reader, ']') || (is_array && !accept(reader, ']'))) {
        return fail(err, "']' was expected after a table's name");
    }
    return hand_over(reader, TOML_TABLE, NULL, err);
}

static unsigned line_of(const struct reader *reader, const char *text)
{
    unsigned line = 1;
    for (const char *c = text; c < reader->cursor.at; c++) {
        line += *c == '\n';
    }
    return line;
}

bool toml_read(const char *text, size_t len, const struct toml_taker *taker, unsigned *line,
               struct error *err)
{
    struct reader reader = {.cursor = {.at = text, .end = text + len}, .taker = taker};
    bool is_fine = true;
    skip_lines(&reader);
    while (is_fine && reader.cursor.at < reader.cursor.end) {
        is_fine = peek(&reader) == '[' ? read_header(&reader, err) : read_pair(&reader, 0, err);
        is_fine = is_fine && end_line(&reader, err);
        if (is_fine) {
            skip_lines(&reader);
        }
    }
    *line = is_fine || reader.is_refused ? 0 : line_of(&reader, text);
    text_clear(&reader.path);
    return is_fine;
}
