// SPDX-License-Identifier: Apache-2.0
#pragma once

// The functions that one file's symbol tables name, sorted by address, each address once.

#include <libelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collect/image.h"

struct symbol {
    uint64_t address;
    uint64_t size; // 0 when the file does not tell
    const char *name;
    uint32_t rank; // of several names for one address the lowest wins
};

struct symbol_table {
    struct symbol *symbols;
    size_t count;
    size_t capacity;
    Elf *debug; // a separate debug file, whose strings are in use
    int debug_fd;
};

void symbol_table_load(struct symbol_table *table, struct image *image, const char *debug_dir);

// The symbol that covers the address; or else starts at `function`, where the function starts that
// holds it (0: unknown). NULL when there is neither.
const struct symbol *symbol_table_find(const struct symbol_table *table, uint64_t address,
                                       uint64_t function);

void symbol_table_clear(struct symbol_table *table);
