// SPDX-License-Identifier: Apache-2.0
#include "cli/toml_string.h"

#include <stdint.h>
#include <string.h>

#include "profile/utf8.h"

char toml_cursor_peek(const struct toml_cursor *cursor)
{
    return cursor->at < cursor->end ? *cursor->at : '\0';
}

static bool starts_with(const struct toml_cursor *cursor, const char *word)
{
    size_t len = strlen(word);
    return (size_t)(cursor->end - cursor->at) >= len && memcmp(cursor->at, word, len) == 0;
}

static int digit_value(char c)
{
    static const char digits[] = "0123456789abcdef";
    const char *found = c ? strchr(digits, c >= 'A' && c <= 'F' ? c - 'A' + 'a' : c) : NULL;
    return found ? (int)(found - digits) : -1;
}

static bool read_point(struct toml_cursor *cursor, int digit_count, struct text *out,
                       struct error *err)
{
    uint32_t point = 0;
    for (int i = 0; i < digit_count; i++) {
        int digit = digit_value(toml_cursor_peek(cursor));
        if (digit < 0) {
            return error_set(err, "\\u and \\U take 4 and 8 hexadecimal digits");
        }
        point = point << 4 | (uint32_t)digit;
        cursor->at++;
    }
    if (point == 0 || point > 0x10ffff || (point >= 0xd800 && point < 0xe000)) {
        return error_set(err, "\\u%x is not a character that can stand in a text", point);
    }
    char bytes[4];
    text_add_bytes(out, bytes, utf8_write(point, bytes));
    return true;
}

// A backslash at the end of a line joins it with the next word.
static bool skip_line_end(struct toml_cursor *cursor)
{
    const char *at = cursor->at;
    bool has_line_end = false;
    while (at < cursor->end && (*at == ' ' || *at == '\t' || *at == '\r' || *at == '\n')) {
        has_line_end |= *at++ == '\n';
    }
    if (has_line_end) {
        cursor->at = at;
    }
    return has_line_end;
}

static bool read_escape(struct toml_cursor *cursor, bool is_long, struct text *out,
                        struct error *err)
{
    static const char letters[] = "btnfr\"\\";
    static const char meanings[] = "\b\t\n\f\r\"\\";
    cursor->at++;
    if (is_long && skip_line_end(cursor)) {
        return true;
    }
    char letter = toml_cursor_peek(cursor);
    const char *found = letter ? strchr(letters, letter) : NULL;
    cursor->at += letter != '\0';
    if (found) {
        text_add_char(out, meanings[found - letters]);
        return true;
    }
    if (letter == 'u' || letter == 'U') {
        return read_point(cursor, letter == 'u' ? 4 : 8, out, err);
    }
    return error_set(err, "'\\%c' means nothing in a string", letter ? letter : ' ');
}

// Two quotes may stand before the three that end a long string.
static void take_last_quotes(struct toml_cursor *cursor, char quote, struct text *out)
{
    for (int i = 0; i < 2 && toml_cursor_peek(cursor) == quote; i++) {
        text_add_char(out, quote);
        cursor->at++;
    }
}

bool toml_string_read(struct toml_cursor *cursor, struct text *out, struct error *err)
{
    char quote = *cursor->at;
    char three[] = {quote, quote, quote, '\0'};
    bool is_long = starts_with(cursor, three);
    const char *closing = is_long ? three : three + 2;
    cursor->at += strlen(closing);
    if (is_long) {
        cursor->at += toml_cursor_peek(cursor) == '\r';
        cursor->at += toml_cursor_peek(cursor) == '\n';
    }
    while (cursor->at < cursor->end && !starts_with(cursor, closing)) {
        char c = *cursor->at;
        if (c == '\\' && quote == '"') {
            if (!read_escape(cursor, is_long, out, err)) {
                return false;
            }
            continue;
        }
        if (c == '\0' || (c == '\n' && !is_long)) {
            return error_set(err, "a string does not end");
        }
        text_add_char(out, c);
        cursor->at++;
    }
    if (cursor->at == cursor->end) {
        return error_set(err, "a string does not end");
    }
    cursor->at += strlen(closing);
    if (is_long) {
        take_last_quotes(cursor, quote, out);
    }
    return true;
}
