// SPDX-License-Identifier: Apache-2.0
#include "profile/block.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "profile/statement.h"

struct keyword {
    const char *word;
    enum block_kind kind; // BLOCK_KINDS: none of its own
    bool is_clause;       // goes on with a block of the same indentation
    bool is_header;       // its lines count as a header
};

static const struct keyword keywords[] = {
    {"def", BLOCK_FUNCTION, false, true},  {"class", BLOCK_CLASS, false, true},
    {"for", BLOCK_LOOP, false, false},     {"while", BLOCK_LOOP, false, false},
    {"if", BLOCK_IF, false, true},         {"elif", BLOCK_IF, true, true},
    {"else", BLOCK_KINDS, true, true},     {"with", BLOCK_WITH, false, true},
    {"try", BLOCK_TRY, false, false},      {"except", BLOCK_KINDS, true, false},
    {"finally", BLOCK_KINDS, true, false},
};

static const struct keyword plain = {"", BLOCK_KINDS, false, false};

struct builder {
    struct block_list *list;
    int open;           // innermost open block; -1: none
    int decorator_line; // of the next function or class; 0: none
};

static const struct keyword *find_keyword(const char *word, size_t len)
{
    for (size_t i = 0; i < sizeof keywords / sizeof *keywords; i++) {
        if (statement_is_word(word, len, keywords[i].word)) {
            return &keywords[i];
        }
    }
    return &plain;
}

static bool has_clauses(enum block_kind kind)
{
    return kind == BLOCK_LOOP || kind == BLOCK_IF || kind == BLOCK_TRY;
}

// Closes what ends before this statement, and lets the rest reach to it.
static void close_blocks(struct builder *builder, const struct statement *statement,
                         const struct keyword *keyword)
{
    struct block *blocks = builder->list->blocks;
    while (builder->open >= 0) {
        const struct block *block = &blocks[builder->open];
        bool goes_on =
            block->indent == statement->indent && keyword->is_clause && has_clauses(block->kind);
        if (block->indent < statement->indent || goes_on) {
            break;
        }
        builder->open = block->parent;
    }
    for (int i = builder->open; i >= 0; i = blocks[i].parent) {
        blocks[i].last = statement->last_line;
    }
}

// The line on which a block's header ends: its colon's.
static int header_last(const struct statement *statement)
{
    int line = statement->first_line;
    for (size_t i = 0; i < statement->colon; i++) {
        char c = statement->text[i];
        bool is_pair = c == '\r' && statement->text[i + 1] == '\n';
        line += (c == '\n' || c == '\r') && !is_pair;
    }
    return line;
}

static void open_block(struct builder *builder, const struct statement *statement,
                       enum block_kind kind, size_t offset, bool is_async)
{
    struct block_list *list = builder->list;
    struct block block = {.kind = kind,
                          .is_async = is_async,
                          .has_inline_body = statement->has_inline_body,
                          .code_line = statement->first_line,
                          .first = statement->first_line,
                          .header_last = header_last(statement),
                          .last = statement->last_line,
                          .indent = statement->indent,
                          .parent = builder->open};
    if (kind == BLOCK_FUNCTION || kind == BLOCK_CLASS) {
        const char *name;
        size_t len = statement_word(statement, &offset, &name);
        block.name = mem_copy_bytes(name, len);
        if (builder->decorator_line > 0) {
            block.code_line = builder->decorator_line;
        }
    }
    list->blocks = mem_grow(list->blocks, list->count, &list->capacity, sizeof *list->blocks);
    list->blocks[list->count] = block;
    builder->open = (int)list->count++;
}

static void mark_lines(struct block_list *list, int first, int last, enum block_line kind)
{
    for (int line = first; line <= last; line++) {
        list->lines[line - 1] = (uint8_t)kind;
    }
}

static void add_statement(struct builder *builder, const struct statement *statement)
{
    const char *word;
    size_t offset = 0;
    size_t len = statement_word(statement, &offset, &word);
    bool is_async = statement_is_word(word, len, "async");
    if (is_async) {
        len = statement_word(statement, &offset, &word);
    }
    // A word that only begins like a statement with a body has no colon: `with = 1` in old code.
    const struct keyword *keyword = statement->colon > 0 ? find_keyword(word, len) : &plain;
    close_blocks(builder, statement, keyword);
    if (keyword->kind != BLOCK_KINDS) {
        open_block(builder, statement, keyword->kind, offset, is_async);
    }
    mark_lines(builder->list, statement->first_line, statement->last_line, BLOCK_LINE_SIMPLE);
    if (keyword->is_header) {
        mark_lines(builder->list, statement->first_line, header_last(statement), BLOCK_LINE_HEADER);
    }
    if (statement->text[0] != '@') {
        builder->decorator_line = 0;
    } else if (builder->decorator_line == 0) {
        builder->decorator_line = statement->first_line;
    }
}

static void mark_comments(struct block_list *list, const struct source *source)
{
    for (size_t i = 0; i < source->line_count; i++) {
        const struct source_line *line = &source->lines[i];
        size_t at = 0;
        while (at < line->len && (line->text[at] == ' ' || line->text[at] == '\t')) {
            at++;
        }
        if (at < line->len && line->text[at] == '#') {
            list->lines[i] = BLOCK_LINE_COMMENT;
        }
    }
}

static void mark_statement(struct block_list *list, const struct statement *statement)
{
    for (int line = statement->first_line; line <= statement->last_line; line++) {
        list->statements[line - 1] =
            (struct block_statement){statement->first_line, statement->last_line};
    }
}

void block_list_read(struct block_list *list, const struct source *source)
{
    *list = (struct block_list){.lines = mem_alloc(source->line_count + 1)};
    mark_comments(list, source);
    list->statements = mem_alloc((source->line_count + 1) * sizeof *list->statements);
    for (size_t i = 0; i < source->line_count; i++) {
        list->statements[i] = (struct block_statement){(int)i + 1, (int)i + 1};
    }
    struct builder builder = {.list = list, .open = -1};
    struct statement_reader reader;
    struct statement statement;
    statement_start(&reader, source);
    while (statement_next(&reader, &statement)) {
        if ((size_t)statement.last_line <= source->line_count) {
            mark_statement(list, &statement);
            add_statement(&builder, &statement);
        }
    }
}

void block_list_clear(struct block_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        free(list->blocks[i].name);
    }
    free(list->blocks);
    free(list->lines);
    free(list->statements);
    *list = (struct block_list){0};
}

int block_innermost(const struct block_list *list, enum block_kind kind, int line)
{
    size_t begun = 0; // blocks that begin on the line or before
    size_t end = list->count;
    while (begun < end) {
        size_t middle = begun + (end - begun) / 2;
        if (list->blocks[middle].first <= line) {
            begun = middle + 1;
        } else {
            end = middle;
        }
    }
    int index = (int)begun - 1;
    while (index >= 0 && (list->blocks[index].kind != kind || list->blocks[index].last < line)) {
        index = list->blocks[index].parent;
    }
    return index;
}
