// SPDX-License-Identifier: Apache-2.0
#pragma once

// The functions that one file's symbol tables name, sorted by address. A library of a deep-learning
// framework names hundreds of thousands in some 70 MB of text, of which a profile shows a few
// hundred: names stay in the file until they are asked for.

#include <libelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"
#include "collect/image.h"

enum symbol_source { SYMBOL_OF_FILE, SYMBOL_OF_DEBUG_FILE, SYMBOL_DYNAMIC, SYMBOL_SOURCES };

struct symbol {
    uint64_t address : 56;
    uint64_t source : 2; // enum symbol_source
    uint64_t is_local : 1;
    uint64_t is_untyped : 1; // a label of assembly
    uint32_t size;           // 0 when the file does not tell
    uint32_t name;           // where it begins in its source's texts
};

struct symbol_texts {
    uint64_t offset; // in the file
    uint64_t size;
};

struct symbol_table {
    struct image *image;
    struct symbol *symbols;
    size_t count;
    size_t capacity;
    struct symbol_texts texts[SYMBOL_SOURCES];
    Elf *debug; // a separate debug file
    int debug_fd;
};

void symbol_table_load(struct symbol_table *table, struct image *image, const char *debug_dir);

// The symbol that covers the address; or else starts at `function`, where the function starts that
// holds it (0: unknown). NULL when there is neither.
const struct symbol *symbol_table_find(const struct symbol_table *table, uint64_t address,
                                       uint64_t function);

// Its name; of several names for one address the one that a reader would choose. Empty when the
// file cannot be read any more.
void symbol_table_name(const struct symbol_table *table, const struct symbol *symbol,
                       struct text *name);

void symbol_table_clear(struct symbol_table *table);
