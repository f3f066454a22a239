// SPDX-License-Identifier: Apache-2.0
#include "profile/outline.h"

#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/mem.h"
#include "base/text.h"
#include "profile/block.h"

struct outline {
    struct block_list list;
    size_t line_count;
    struct outline_place *places; // of line N at N - 1
    int *scopes;                  // innermost function or class of line N at N - 1; -1: none
    struct map by_code_line;      // of functions and classes, to their index + 1
};

static bool is_scope(const struct block *block)
{
    return block->kind == BLOCK_FUNCTION || block->kind == BLOCK_CLASS;
}

static void paint_region(struct outline *outline, enum block_kind kind)
{
    for (size_t i = 0; i < outline->list.count; i++) {
        const struct block *block = &outline->list.blocks[i];
        if (block->kind == kind && !block->is_async) {
            for (int line = block->first; line <= block->last; line++) {
                outline->places[line - 1].region =
                    (struct outline_range){block->first, block->last};
            }
        }
    }
}

static void paint_scopes(struct outline *outline)
{
    for (size_t i = 0; i < outline->list.count; i++) {
        const struct block *block = &outline->list.blocks[i];
        if (!is_scope(block)) {
            continue;
        }
        map_put(&outline->by_code_line, (uint64_t)block->code_line, i + 1);
        for (int line = block->first; line <= block->last; line++) {
            outline->scopes[line - 1] = (int)i;
            outline->places[line - 1].function = (struct outline_range){block->first, block->last};
        }
    }
}

// The outermost loop around a block that no function or class comes between; -1: none.
static int outermost_loop(const struct block_list *list, int index)
{
    int loop = -1;
    for (; index >= 0; index = list->blocks[index].parent) {
        if (is_scope(&list->blocks[index])) {
            break;
        }
        if (list->blocks[index].kind == BLOCK_LOOP) {
            loop = index;
        }
    }
    return loop;
}

// The block that a header or a comment on this line speaks of; -1: none.
static int headed_block(const struct block_list *list, int line, int innermost)
{
    enum block_line kind = (enum block_line)list->lines[line - 1];
    if (kind != BLOCK_LINE_HEADER && kind != BLOCK_LINE_COMMENT) {
        return -1;
    }
    bool is_told = innermost >= 0 && list->blocks[innermost].kind != BLOCK_TRY;
    return is_told ? innermost : -1;
}

static void paint_loops(struct outline *outline)
{
    const struct block_list *list = &outline->list;
    int *innermost = mem_alloc((outline->line_count + 1) * sizeof *innermost);
    for (size_t i = 0; i < outline->line_count; i++) {
        innermost[i] = -1;
    }
    for (size_t i = 0; i < list->count; i++) {
        for (int line = list->blocks[i].first; line <= list->blocks[i].last; line++) {
            innermost[line - 1] = (int)i;
        }
    }
    for (size_t i = 0; i < outline->line_count; i++) {
        int index = outermost_loop(list, innermost[i]);
        if (index < 0) {
            index = headed_block(list, (int)i + 1, innermost[i]);
        }
        if (index >= 0) {
            outline->places[i].outermost_loop =
                (struct outline_range){list->blocks[index].first, list->blocks[index].last};
        }
    }
    free(innermost);
}

static void paint_statements(struct outline *outline)
{
    for (size_t i = 0; i < outline->line_count; i++) {
        const struct block_statement *statement = &outline->list.statements[i];
        outline->places[i].statement = (struct outline_range){statement->first, statement->last};
    }
}

struct outline *outline_new(const struct source *source)
{
    struct outline *outline = mem_alloc(sizeof *outline);
    outline->line_count = source->line_count;
    outline->places = mem_alloc((source->line_count + 1) * sizeof *outline->places);
    outline->scopes = mem_alloc((source->line_count + 1) * sizeof *outline->scopes);
    for (size_t i = 0; i < source->line_count; i++) {
        struct outline_range self = {(int)i + 1, (int)i + 1};
        outline->places[i] = (struct outline_place){.region = self, .outermost_loop = self};
        outline->scopes[i] = -1;
    }
    block_list_read(&outline->list, source);
    paint_region(outline, BLOCK_CLASS);
    paint_region(outline, BLOCK_FUNCTION);
    paint_region(outline, BLOCK_LOOP);
    paint_scopes(outline);
    paint_loops(outline);
    paint_statements(outline);
    return outline;
}

void outline_free(struct outline *outline)
{
    if (outline) {
        block_list_clear(&outline->list);
        map_clear(&outline->by_code_line);
        free(outline->places);
        free(outline->scopes);
        free(outline);
    }
}

struct outline_place outline_find(const struct outline *outline, int line)
{
    if (line >= 1 && (size_t)line <= outline->line_count) {
        return outline->places[line - 1];
    }
    struct outline_range self = {line, line};
    return (struct outline_place){.region = self, .outermost_loop = self, .statement = self};
}

static int enclosing_scope(const struct outline *outline, int index)
{
    do {
        index = outline->list.blocks[index].parent;
    } while (index >= 0 && !is_scope(&outline->list.blocks[index]));
    return index;
}

static void add_qualified(const struct outline *outline, int index, struct text *out)
{
    const struct block *block = &outline->list.blocks[index];
    int parent = enclosing_scope(outline, index);
    if (parent >= 0) {
        bool is_function = outline->list.blocks[parent].kind == BLOCK_FUNCTION;
        add_qualified(outline, parent, out);
        text_add(out, is_function ? ".<locals>." : ".");
    }
    text_add(out, block->name);
}

// The scope whose body a line belongs to: a header's own expressions are evaluated outside.
static int body_scope(const struct outline *outline, int line)
{
    if (line < 1 || (size_t)line > outline->line_count) {
        return -1;
    }
    int index = outline->scopes[line - 1];
    if (index >= 0) {
        const struct block *block = &outline->list.blocks[index];
        if (line <= block->header_last && !block->has_inline_body) {
            index = enclosing_scope(outline, index);
        }
    }
    return index;
}

char *outline_qualified_name(const struct outline *outline, int first_line, const char *name)
{
    struct text out = {0};
    uint64_t known = map_get(&outline->by_code_line, (uint64_t)(int64_t)first_line);
    if (known && strcmp(outline->list.blocks[known - 1].name, name) == 0) {
        add_qualified(outline, (int)known - 1, &out);
        return out.data;
    }
    int scope =
        name[0] == '<' && strcmp(name, "<module>") != 0 ? body_scope(outline, first_line) : -1;
    if (scope >= 0) {
        bool is_function = outline->list.blocks[scope].kind == BLOCK_FUNCTION;
        add_qualified(outline, scope, &out);
        text_add(&out, is_function ? ".<locals>." : ".");
    }
    text_add(&out, name);
    return out.data;
}

char *outline_enclosing_function(const struct outline *outline, int line, int *first_line)
{
    int index = body_scope(outline, line);
    if (index < 0 || outline->list.blocks[index].kind != BLOCK_FUNCTION) {
        return NULL;
    }
    struct text out = {0};
    add_qualified(outline, index, &out);
    *first_line = outline->list.blocks[index].code_line;
    return out.data;
}
