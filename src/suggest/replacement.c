// SPDX-License-Identifier: Apache-2.0
#include "suggest/replacement.h"

#include <string.h>
#include <strings.h>

#include "profile/source.h"
#include "profile/statement.h"

static size_t visible_len(const char *line, size_t len)
{
    while (len > 0 && strchr("\r\n", line[len - 1])) {
        len--;
    }
    return len;
}

static size_t blank_len(const char *line, size_t len)
{
    size_t blanks = 0;
    while (blanks < len && (line[blanks] == ' ' || line[blanks] == '\t')) {
        blanks++;
    }
    return blanks;
}

// How many backticks a line begins with, if they make a fence; 0: it is none.
static size_t fence_len(const struct source_line *line)
{
    size_t blanks = blank_len(line->text, line->len);
    size_t len = blanks;
    while (len < line->len && line->text[len] == '`') {
        len++;
    }
    return len - blanks >= 3 ? len - blanks : 0;
}

static bool is_mark(const struct source_line *line)
{
    static const char *const marks[] = {"# >>> the lines to rewrite", "# <<< the lines to rewrite"};
    size_t blanks = blank_len(line->text, line->len);
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
        size_t len = strlen(marks[i]);
        if (line->len - blanks >= len && memcmp(line->text + blanks, marks[i], len) == 0) {
            return true;
        }
    }
    return false;
}

// Whether a block is Python, by what stands behind its fence: nothing, or a name of the language.
static bool opens_python(const struct source_line *line)
{
    size_t len = visible_len(line->text, line->len);
    size_t at = blank_len(line->text, len) + fence_len(line);
    at += blank_len(line->text + at, len - at);
    bool is_python = at == len;
    for (; at + 1 < len; at++) {
        is_python |= strncasecmp(line->text + at, "py", 2) == 0;
    }
    return is_python;
}

static size_t find_fence(const struct source *answer, size_t first, size_t least)
{
    while (first < answer->line_count && fence_len(&answer->lines[first]) < least) {
        first++;
    }
    return first;
}

// The line of the fence that closes a block of Python. No backtick begins a line of that language
// but inside a string, and there it may: in an example of a docstring. Where a string never ends it
// is the first fence; an answer that was cut has none.
static size_t find_close(const struct source *answer, size_t first, size_t least)
{
    const struct source rest = {
        .text = answer->text,
        .len = answer->len,
        .lines = &answer->lines[first],
        .line_count = answer->line_count - first,
    };
    struct statement_reader reader;
    struct statement statement;
    statement_start(&reader, &rest);
    while (statement_next(&reader, &statement)) {
        size_t line = first + (size_t)statement.first_line - 1;
        if (line < answer->line_count && fence_len(&answer->lines[line]) >= least) {
            return line;
        }
    }
    return find_fence(answer, first, least);
}

// The lines of the first block of Python that is not empty: [*first, *last) of the answer.
static bool find_block(const struct source *answer, size_t *first, size_t *last)
{
    for (size_t i = 0; i < answer->line_count; i++) {
        size_t len = fence_len(&answer->lines[i]);
        bool is_python = len > 0 && opens_python(&answer->lines[i]);
        if (len == 0) {
            continue;
        }
        *first = i + 1;
        *last = is_python ? find_close(answer, *first, len) : find_fence(answer, *first, len);
        if (is_python && *last > *first) {
            return true;
        }
        i = *last;
    }
    return false;
}

// The blanks that all lines begin with; those of the first one apart.
struct indent {
    const char *text;
    size_t len;
    size_t first_len;
};

static struct indent indent_of(const struct source_line *lines, size_t count)
{
    struct indent indent = {.text = "", .len = 0};
    bool is_first = true;
    for (size_t i = 0; i < count; i++) {
        size_t len = visible_len(lines[i].text, lines[i].len);
        size_t blanks = blank_len(lines[i].text, len);
        if (blanks == len || is_mark(&lines[i])) {
            continue;
        }
        if (is_first || blanks < indent.len) {
            indent.text = lines[i].text;
            indent.len = blanks;
        }
        indent.first_len = is_first ? blanks : indent.first_len;
        is_first = false;
    }
    return indent;
}

static const char *line_end(const struct source_line *line)
{
    return line->len > 1 && line->text[line->len - 2] == '\r' ? "\r\n" : "\n";
}

static void add_lines(struct text *code, const struct source_line *lines, size_t count,
                      const struct region *region)
{
    size_t region_count = (size_t)(region->last - region->first + 1);
    const struct source_line *old = &region->source.lines[region->first - 1];
    struct indent wanted = indent_of(old, region_count);
    struct indent given = indent_of(lines, count);
    bool is_shifted = given.first_len != wanted.first_len;
    for (size_t i = 0; i < count; i++) {
        size_t len = visible_len(lines[i].text, lines[i].len);
        size_t blanks = blank_len(lines[i].text, len);
        if (is_mark(&lines[i])) {
            continue;
        }
        if (blanks < len && is_shifted) {
            text_add_bytes(code, wanted.text, wanted.len);
            text_add_bytes(code, lines[i].text + given.len, len - given.len);
        } else if (blanks < len) {
            text_add_bytes(code, lines[i].text, len);
        }
        text_add(code, line_end(old));
    }
}

bool replacement_read(struct text *code, const char *answer, const struct region *region,
                      struct error *err)
{
    struct source lines;
    size_t first;
    size_t last;
    source_from_text(&lines, answer, strlen(answer));
    bool is_found = find_block(&lines, &first, &last);
    if (is_found) {
        add_lines(code, &lines.lines[first], last - first, region);
        is_found = code->len > 0;
    }
    source_clear(&lines);
    return is_found ? true
                    : error_set(err, "the answer has no block of code in Python, so there is no "
                                     "difference to show and no patch to make");
}
