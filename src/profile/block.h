// SPDX-License-Identifier: Apache-2.0
#pragma once

// The compound statements of a source text, outer ones before the inner: what an outline is made
// of. A block reaches to the last line of its body, clauses such as else included.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "profile/source.h"

enum block_kind {
    BLOCK_FUNCTION,
    BLOCK_CLASS,
    BLOCK_LOOP,
    BLOCK_IF, // elif is one inside the if that it belongs to
    BLOCK_WITH,
    BLOCK_TRY,
    BLOCK_KINDS
};

struct block {
    enum block_kind kind;
    bool is_async;
    bool has_inline_body;
    int code_line; // first line of the code object: that of the first decorator
    int first;     // line of the keyword
    int header_last;
    int last;
    int indent;
    int parent; // index of the block around it; -1: none
    char *name; // of functions and classes
};

// What a line is part of.
enum block_line {
    BLOCK_LINE_BLANK,
    BLOCK_LINE_COMMENT,
    BLOCK_LINE_SIMPLE, // a statement without a body, or one of the headers not told apart here
    BLOCK_LINE_HEADER, // of a function, class, with, if, elif or else
};

// The lines of a statement, brackets and continued lines included.
struct block_statement {
    int first;
    int last;
};

struct block_list {
    struct block *blocks;
    size_t count;
    size_t capacity;
    uint8_t *lines;                     // enum block_line of line N at N - 1
    struct block_statement *statements; // of line N at N - 1; a line of none has itself
};

void block_list_read(struct block_list *list, const struct source *source);
void block_list_clear(struct block_list *list);

// The index of the innermost block of a kind around a line; -1: none.
int block_innermost(const struct block_list *list, enum block_kind kind, int line);
