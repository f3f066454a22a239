// SPDX-License-Identifier: Apache-2.0
#include "profile/literal.h"

#include <ctype.h>
#include <string.h>

#define DEPTH_MAX 64 // of literals and expressions inside each other; CPython stops at 150

enum mode {
    MODE_TEXT,       // inside quotes
    MODE_EXPRESSION, // inside the braces of a formatted literal
    MODE_FORMAT,     // behind the colon in such braces
};

struct level {
    enum mode mode;
    char quote; // that of the literal, for expressions that of the one around
    bool is_triple;
    bool is_formatted;
    bool is_raw;
    int brackets; // open inside the expression
};

struct scanner {
    const char *at;
    const char *end;
    int *line;
    struct level levels[DEPTH_MAX];
    int depth; // index of the innermost level; -1: done
};

static bool has_letter(const char *prefix, size_t len, char letter)
{
    for (size_t i = 0; i < len; i++) {
        if ((prefix[i] | 0x20) == letter) {
            return true;
        }
    }
    return false;
}

bool literal_is_prefix(const char *word, size_t len)
{
    if (len == 0 || len > 2) {
        return false;
    }
    for (size_t i = 0; i < len; i++) {
        char lower = (char)(word[i] | 0x20);
        if (lower != 'r' && lower != 'b' && lower != 'u' && lower != 'f' && lower != 't') {
            return false;
        }
    }
    return true;
}

static bool is_triple_at(const struct scanner *scanner)
{
    const char *at = scanner->at;
    return scanner->end - at >= 3 && at[1] == at[0] && at[2] == at[0];
}

// Opens the literal whose quote stands here.
static void open_literal(struct scanner *scanner, const char *prefix, size_t prefix_len)
{
    struct level level = {.quote = *scanner->at};
    level.is_triple = is_triple_at(scanner);
    level.is_formatted = has_letter(prefix, prefix_len, 'f') || has_letter(prefix, prefix_len, 't');
    level.is_raw = has_letter(prefix, prefix_len, 'r');
    scanner->at += level.is_triple ? 3 : 1;
    if (scanner->depth + 1 < DEPTH_MAX) {
        scanner->levels[++scanner->depth] = level;
    } else {
        scanner->depth = -1;
    }
}

static void open_expression(struct scanner *scanner)
{
    struct level level = scanner->levels[scanner->depth];
    level.mode = MODE_EXPRESSION;
    level.brackets = 0;
    scanner->at++;
    if (scanner->depth + 1 < DEPTH_MAX) {
        scanner->levels[++scanner->depth] = level;
    } else {
        scanner->depth = -1;
    }
}

static bool is_line_end(char c)
{
    return c == '\n' || c == '\r';
}

static void pass_line_end(struct scanner *scanner)
{
    if (*scanner->at == '\r' && scanner->end - scanner->at > 1 && scanner->at[1] == '\n') {
        scanner->at++;
    }
    scanner->at++;
    (*scanner->line)++;
}

static void pass_backslash(struct scanner *scanner, const struct level *level)
{
    scanner->at++;
    if (scanner->at >= scanner->end) {
        return;
    }
    bool is_brace = level->is_formatted && (*scanner->at == '{' || *scanner->at == '}');
    bool is_name = level->is_formatted && !level->is_raw && *scanner->at == 'N' &&
                   scanner->end - scanner->at > 1 && scanner->at[1] == '{';
    if (is_line_end(*scanner->at)) {
        pass_line_end(scanner);
    } else if (is_name) {
        while (scanner->at < scanner->end && *scanner->at != '}' && !is_line_end(*scanner->at)) {
            scanner->at++;
        }
    } else if (!is_brace) {
        scanner->at++;
    }
}

static bool closes(const struct scanner *scanner, const struct level *level)
{
    return *scanner->at == level->quote && (!level->is_triple || is_triple_at(scanner));
}

static void scan_text(struct scanner *scanner, const struct level *level)
{
    char c = *scanner->at;
    bool is_doubled = scanner->end - scanner->at > 1 && scanner->at[1] == c;
    if (closes(scanner, level)) {
        scanner->at += level->is_triple ? 3 : 1;
        scanner->depth--;
    } else if (c == '\\') {
        pass_backslash(scanner, level);
    } else if (is_line_end(c)) {
        if (!level->is_triple) {
            scanner->depth = -1; // never closed: the statement ends here
            return;
        }
        pass_line_end(scanner);
    } else if (level->is_formatted && (c == '{' || c == '}') && is_doubled) {
        scanner->at += 2;
    } else if (level->is_formatted && c == '{') {
        open_expression(scanner);
    } else {
        scanner->at++;
    }
}

static void scan_format(struct scanner *scanner, const struct level *level)
{
    char c = *scanner->at;
    if (c == '}') {
        scanner->at++;
        scanner->depth--;
    } else if (c == '{') {
        open_expression(scanner);
    } else if (closes(scanner, level)) {
        scanner->depth--; // braces that do not match: let the literal end
    } else if (is_line_end(c) && !level->is_triple) {
        scanner->depth = -1;
    } else if (is_line_end(c)) {
        pass_line_end(scanner);
    } else {
        scanner->at++;
    }
}

static bool is_name_byte(char c)
{
    return isalnum((unsigned char)c) || c == '_' || (unsigned char)c >= 0x80;
}

static void scan_word(struct scanner *scanner)
{
    const char *word = scanner->at;
    while (scanner->at < scanner->end && is_name_byte(*scanner->at)) {
        scanner->at++;
    }
    size_t len = (size_t)(scanner->at - word);
    bool is_quote = scanner->at < scanner->end && (*scanner->at == '"' || *scanner->at == '\'');
    if (is_quote && literal_is_prefix(word, len)) {
        open_literal(scanner, word, len);
    }
}

static void scan_expression(struct scanner *scanner, struct level *level)
{
    char c = *scanner->at;
    if (is_name_byte(c)) {
        scan_word(scanner);
    } else if (c == '"' || c == '\'') {
        open_literal(scanner, "", 0);
    } else if (c == '#') {
        while (scanner->at < scanner->end && !is_line_end(*scanner->at)) {
            scanner->at++;
        }
    } else if (is_line_end(c)) {
        pass_line_end(scanner);
    } else if (c == '}' && level->brackets == 0) {
        scanner->at++;
        scanner->depth--;
    } else if (c == ':' && level->brackets == 0) {
        scanner->at++;
        level->mode = MODE_FORMAT;
    } else {
        if (c != '\0' && strchr("([{", c)) {
            level->brackets++;
        } else if (c != '\0' && strchr(")]}", c) && level->brackets > 0) {
            level->brackets--;
        }
        scanner->at++;
    }
}

const char *literal_skip(const char *at, const char *end, const char *prefix, size_t prefix_len,
                         int *line)
{
    struct scanner scanner;
    scanner.at = at;
    scanner.end = end;
    scanner.line = line;
    scanner.depth = -1;
    open_literal(&scanner, prefix, prefix_len);
    while (scanner.depth >= 0 && scanner.at < end) {
        struct level *level = &scanner.levels[scanner.depth];
        if (level->mode == MODE_TEXT) {
            scan_text(&scanner, level);
        } else if (level->mode == MODE_EXPRESSION) {
            scan_expression(&scanner, level);
        } else {
            scan_format(&scanner, level);
        }
    }
    return scanner.at;
}
