// SPDX-License-Identifier: Apache-2.0
#pragma once

// Functions of the other libraries in this process, by name and version, read from their own symbol
// tables. What dlvsym(RTLD_NEXT) gives, but without libdl (on C libraries before 2.34 dlvsym lives
// there, and not every program loads it), without allocation, and with no trace in dlerror.
// Context: any thread

#include <elf.h>
#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SYMBOL_LIBRARY_MAX 64

struct symbol_library {
    uintptr_t base;
    const char *strings;
    const ElfW(Sym) * symbols;
    const uint32_t *hash;        // DT_GNU_HASH
    const ElfW(Half) * versions; // NULL: the library has none
    const ElfW(Verdef) * definitions;
    size_t definition_count;
};

// Libraries in the order of search: those after our own, then those before it.
struct symbol_scope {
    struct symbol_library libraries[SYMBOL_LIBRARY_MAX];
    size_t count;
};

// Valid until a library is unloaded.
void symbol_scope_init(struct symbol_scope *scope);

// NULL when no library has it. A definition without version is taken for any.
void *symbol_find(const struct symbol_scope *scope, const char *name, const char *version);

// The library that holds this address. False when none does, or it shows no symbols.
bool symbol_library_of(const void *address, struct symbol_library *library);

// A function or variable of one library, whatever its version; NULL when it has none.
void *symbol_find_in(const struct symbol_library *library, const char *name, size_t *size_bytes);

// From the lowest to the highest address of the library that holds this one; empty when none does.
struct symbol_bounds {
    uintptr_t start;
    uintptr_t end;
};

struct symbol_bounds symbol_bounds_of(const void *address);
