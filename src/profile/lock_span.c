// SPDX-License-Identifier: Apache-2.0
#include "profile/lock_span.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "profile/statement.h"

struct reader {
    struct lock_span_list *list;
    const struct block_list *blocks;
};

static bool is_of_object(const char *lock)
{
    return strncmp(lock, "self.", 5) == 0 || strncmp(lock, "cls.", 4) == 0;
}

static struct lock_span span_at(const struct reader *reader, const struct text *lock, int line)
{
    return (struct lock_span){
        .lock = lock->data,
        .class = is_of_object(lock->data) ? block_innermost(reader->blocks, BLOCK_CLASS, line) : -1,
        .function = block_innermost(reader->blocks, BLOCK_FUNCTION, line),
        .taken_first = line,
        .taken_last = line,
        .held_first = line + 1,
        .held_last = line,
    };
}

static void add_span(struct reader *reader, struct lock_span span)
{
    struct lock_span_list *list = reader->list;
    list->spans = mem_grow(list->spans, list->count, &list->capacity, sizeof *list->spans);
    list->spans[list->count++] = span;
}

static int depth_change(char c)
{
    return c == '(' || c == '[' || c == '{' ? 1 : c == ')' || c == ']' || c == '}' ? -1 : 0;
}

// Something that gets a name (`as`) is a file or a pool, and no lock.
static bool has_name(const char *item, size_t len)
{
    int depth = 0;
    for (size_t i = 0; i + 4 <= len; i++) {
        depth += depth_change(item[i]);
        if (depth == 0 && isspace((unsigned char)item[i]) && memcmp(item + i + 1, "as", 2) == 0 &&
            isspace((unsigned char)item[i + 3])) {
            return true;
        }
    }
    return false;
}

static void add_item(struct reader *reader, const struct block *block, const char *item, size_t len)
{
    struct text lock = {0};
    for (size_t i = 0; i < len; i++) {
        if (item[i] && !isspace((unsigned char)item[i]) && item[i] != '\\') {
            text_add_char(&lock, item[i]);
        }
    }
    if (lock.len == 0 || has_name(item, len)) {
        text_clear(&lock);
        return;
    }
    struct lock_span span = span_at(reader, &lock, block->first);
    span.taken_last = block->header_last;
    span.held_first = block->has_inline_body ? block->first : block->header_last + 1;
    span.held_last = block->last;
    add_span(reader, span);
}

// All items in one pair of parentheses are items nevertheless.
static void strip_parentheses(const char **items, size_t *len)
{
    while (*len > 0 && isspace((unsigned char)**items)) {
        (*items)++;
        (*len)--;
    }
    while (*len > 0 && isspace((unsigned char)(*items)[*len - 1])) {
        (*len)--;
    }
    int depth = 0;
    for (size_t i = 0; i < *len; i++) {
        depth += depth_change((*items)[i]);
        if (depth == 0 && i + 1 < *len) {
            return;
        }
    }
    if (*len >= 2 && **items == '(' && depth == 0) {
        (*items)++;
        *len -= 2;
    }
}

static void add_with(struct reader *reader, const struct statement *statement, size_t offset)
{
    int index = block_innermost(reader->blocks, BLOCK_WITH, statement->first_line);
    if (index < 0 || reader->blocks->blocks[index].first != statement->first_line) {
        return;
    }
    const struct block *block = &reader->blocks->blocks[index];
    const char *items = statement->text + offset;
    size_t len = statement->colon - offset;
    strip_parentheses(&items, &len);
    int depth = 0;
    size_t first = 0;
    for (size_t i = 0; i < len; i++) {
        depth += depth_change(items[i]);
        if (items[i] == ',' && depth == 0) {
            add_item(reader, block, items + first, i - first);
            first = i + 1;
        }
    }
    add_item(reader, block, items + first, len - first);
}

static bool is_of_name(char c)
{
    return isalnum((unsigned char)c) || (c && strchr("_.[]'\"", c)) || (unsigned char)c >= 0x80;
}

// What a method of this name is called on, and behind it; false if there is no more such call.
static bool next_call(const struct statement *statement, const char *method, size_t *offset,
                      struct text *lock)
{
    size_t method_len = strlen(method);
    lock->len = 0;
    for (size_t i = *offset; i + method_len <= statement->len; i++) {
        if (memcmp(statement->text + i, method, method_len) != 0) {
            continue;
        }
        size_t first = i;
        while (first > 0 && is_of_name(statement->text[first - 1])) {
            first--;
        }
        *offset = i + method_len;
        if (first < i) {
            text_add_bytes(lock, statement->text + first, i - first);
            return true;
        }
    }
    return false;
}

static int line_of(const struct statement *statement, size_t offset)
{
    int line = statement->first_line;
    for (size_t i = 0; i < offset; i++) {
        line += statement->text[i] == '\n';
    }
    return line;
}

static void add_acquires(struct reader *reader, const struct statement *statement)
{
    size_t offset = 0;
    struct text lock = {0};
    while (next_call(statement, ".acquire(", &offset, &lock)) {
        add_span(reader, span_at(reader, &lock, line_of(statement, offset)));
        lock = (struct text){0};
    }
    text_clear(&lock);
}

// A lock is held up to its last release before it is taken again.
static void end_acquires(struct reader *reader, const struct statement *statement)
{
    size_t offset = 0;
    struct text lock = {0};
    while (next_call(statement, ".release(", &offset, &lock)) {
        struct lock_span release = span_at(reader, &lock, line_of(statement, offset));
        for (size_t i = reader->list->count; i > 0; i--) {
            struct lock_span *span = &reader->list->spans[i - 1];
            if (span->function == release.function && lock_span_is_same_lock(span, &release)) {
                span->held_last = release.taken_first;
                break;
            }
        }
    }
    text_clear(&lock);
}

void lock_span_list_read(struct lock_span_list *list, const struct source *source,
                         const struct block_list *blocks)
{
    *list = (struct lock_span_list){0};
    struct reader reader = {list, blocks};
    struct statement_reader statements;
    struct statement statement;
    statement_start(&statements, source);
    while (statement_next(&statements, &statement)) {
        const char *word;
        size_t offset = 0;
        size_t len = statement_word(&statement, &offset, &word);
        if (statement.colon > offset && statement_is_word(word, len, "with")) {
            add_with(&reader, &statement, offset);
        }
        end_acquires(&reader, &statement);
        add_acquires(&reader, &statement);
    }
}

void lock_span_list_clear(struct lock_span_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        free(list->spans[i].lock);
    }
    free(list->spans);
    *list = (struct lock_span_list){0};
}

bool lock_span_takes(const struct lock_span *span, int line)
{
    return span->taken_first <= line && line <= span->taken_last;
}

bool lock_span_is_same_lock(const struct lock_span *a, const struct lock_span *b)
{
    return a->class == b->class && strcmp(a->lock, b->lock) == 0;
}
