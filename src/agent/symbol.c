// SPDX-License-Identifier: Apache-2.0
#include "agent/symbol.h"

#include <stdbool.h>
#include <string.h>

#define VERSION_HIDDEN 0x8000
#define VERSION_MASK   0x7fff

struct walk {
    struct symbol_scope *scope;
    bool has_passed_own;
    bool wants_before; // the second round
};

static bool contains(const struct dl_phdr_info *info, uintptr_t address)
{
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
        uintptr_t start = info->dlpi_addr + segment->p_vaddr;
        if (segment->p_type == PT_LOAD && address >= start && address < start + segment->p_memsz) {
            return true;
        }
    }
    return false;
}

static const ElfW(Dyn) * dynamic_section(const struct dl_phdr_info *info)
{
    for (int i = 0; i < info->dlpi_phnum; i++) {
        if (info->dlpi_phdr[i].p_type == PT_DYNAMIC) {
            return (const ElfW(Dyn) *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
        }
    }
    return NULL;
}

// The loader has turned the entries into addresses, except where the section is read-only.
static const void *entry_address(uintptr_t base, const ElfW(Dyn) * entry)
{
    uintptr_t value = entry->d_un.d_ptr;
    return (const void *)(value < base ? base + value : value);
}

static bool read_library(const struct dl_phdr_info *info, struct symbol_library *library)
{
    const ElfW(Dyn) *entry = dynamic_section(info);
    *library = (struct symbol_library){.base = info->dlpi_addr};
    for (; entry && entry->d_tag != DT_NULL; entry++) {
        const void *address = entry_address(library->base, entry);
        switch (entry->d_tag) {
        case DT_STRTAB:
            library->strings = address;
            break;
        case DT_SYMTAB:
            library->symbols = address;
            break;
        case DT_GNU_HASH:
            library->hash = address;
            break;
        case DT_VERSYM:
            library->versions = address;
            break;
        case DT_VERDEF:
            library->definitions = address;
            break;
        case DT_VERDEFNUM:
            library->definition_count = entry->d_un.d_val;
            break;
        default:
            break;
        }
    }
    return library->strings && library->symbols && library->hash;
}

static int visit(struct dl_phdr_info *info, size_t size, void *argument)
{
    (void)size;
    struct walk *walk = argument;
    struct symbol_scope *scope = walk->scope;
    if (contains(info, (uintptr_t)&symbol_scope_init)) {
        walk->has_passed_own = true;
        return walk->wants_before;
    }
    if (walk->has_passed_own == walk->wants_before || scope->count == SYMBOL_LIBRARY_MAX) {
        return 0;
    }
    if (read_library(info, &scope->libraries[scope->count])) {
        scope->count++;
    }
    return 0;
}

void symbol_scope_init(struct symbol_scope *scope)
{
    scope->count = 0;
    dl_iterate_phdr(visit, &(struct walk){.scope = scope});
    dl_iterate_phdr(visit, &(struct walk){.scope = scope, .wants_before = true});
}

static uint32_t hash_name(const char *name)
{
    uint32_t hash = 5381;
    for (; *name; name++) {
        hash = hash * 33 + (uint8_t)*name;
    }
    return hash;
}

static const char *version_name(const struct symbol_library *library, unsigned index)
{
    const char *at = (const char *)library->definitions;
    for (size_t i = 0; at && i < library->definition_count; i++) {
        const ElfW(Verdef) *definition = (const ElfW(Verdef) *)at;
        if ((definition->vd_ndx & VERSION_MASK) == index) {
            const ElfW(Verdaux) *name = (const ElfW(Verdaux) *)(at + definition->vd_aux);
            return library->strings + name->vda_name;
        }
        at += definition->vd_next;
    }
    return "";
}

static bool has_version(const struct symbol_library *library, size_t index, const char *version)
{
    if (!version || !library->versions || !library->definitions) {
        return true;
    }
    unsigned number = library->versions[index];
    bool is_unversioned = (number & VERSION_MASK) <= VER_NDX_GLOBAL && !(number & VERSION_HIDDEN);
    return is_unversioned || strcmp(version_name(library, number & VERSION_MASK), version) == 0;
}

static bool is_definition(const ElfW(Sym) * symbol)
{
    unsigned type = ELF64_ST_TYPE(symbol->st_info);
    return symbol->st_shndx != SHN_UNDEF && symbol->st_value != 0 &&
           (type == STT_FUNC || type == STT_GNU_IFUNC || type == STT_NOTYPE || type == STT_OBJECT);
}

// The hash section: four counts, a filter that says "surely not here", buckets, chains.
static const ElfW(Sym) * find_in(const struct symbol_library *library, uint32_t hash,
                                 const char *name, const char *version)
{
    const uint32_t *header = library->hash;
    uint32_t bucket_count = header[0];
    uint32_t first_symbol = header[1];
    uint32_t filter_count = header[2];
    const ElfW(Addr) *filter = (const ElfW(Addr) *)(header + 4);
    const uint32_t *buckets = (const uint32_t *)(filter + filter_count);
    const uint32_t *chains = buckets + bucket_count;
    ElfW(Addr) word = filter[hash / __ELF_NATIVE_CLASS & (filter_count - 1)];
    ElfW(Addr) bits = (ElfW(Addr))1 << hash % __ELF_NATIVE_CLASS |
                      (ElfW(Addr))1 << (hash >> header[3]) % __ELF_NATIVE_CLASS;
    if ((word & bits) != bits || bucket_count == 0) {
        return NULL;
    }
    uint32_t index = buckets[hash % bucket_count];
    if (index < first_symbol) {
        return NULL;
    }
    for (bool is_last = false; !is_last; index++) {
        uint32_t entry = chains[index - first_symbol];
        const ElfW(Sym) *symbol = &library->symbols[index];
        if ((entry | 1) == (hash | 1) && is_definition(symbol) &&
            strcmp(library->strings + symbol->st_name, name) == 0 &&
            has_version(library, index, version)) {
            return symbol;
        }
        is_last = entry & 1;
    }
    return NULL;
}

void *symbol_find(const struct symbol_scope *scope, const char *name, const char *version)
{
    uint32_t hash = hash_name(name);
    for (size_t i = 0; i < scope->count; i++) {
        const struct symbol_library *library = &scope->libraries[i];
        const ElfW(Sym) *symbol = find_in(library, hash, name, version);
        if (symbol) {
            void *address = (void *)(library->base + symbol->st_value);
            bool is_chosen_at_run_time = ELF64_ST_TYPE(symbol->st_info) == STT_GNU_IFUNC;
            return is_chosen_at_run_time ? ((void *(*)(void))address)() : address;
        }
    }
    return NULL;
}

void *symbol_find_in(const struct symbol_library *library, const char *name, size_t *size_bytes)
{
    const ElfW(Sym) *symbol = find_in(library, hash_name(name), name, NULL);
    if (!symbol) {
        return NULL;
    }
    if (size_bytes) {
        *size_bytes = symbol->st_size;
    }
    return (void *)(library->base + symbol->st_value);
}

struct bounds_search {
    uintptr_t address;
    struct symbol_bounds bounds;
};

static int visit_bounds(struct dl_phdr_info *info, size_t size, void *argument)
{
    (void)size;
    struct bounds_search *search = argument;
    if (!contains(info, search->address)) {
        return 0;
    }
    struct symbol_bounds *bounds = &search->bounds;
    bounds->start = UINTPTR_MAX;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
        if (segment->p_type == PT_LOAD) {
            uintptr_t start = info->dlpi_addr + segment->p_vaddr;
            uintptr_t end = start + segment->p_memsz;
            bounds->start = start < bounds->start ? start : bounds->start;
            bounds->end = end > bounds->end ? end : bounds->end;
        }
    }
    return 1;
}

struct symbol_bounds symbol_bounds_of(const void *address)
{
    struct bounds_search search = {.address = (uintptr_t)address};
    dl_iterate_phdr(visit_bounds, &search);
    return search.bounds;
}

struct library_search {
    uintptr_t address;
    struct symbol_library *library;
    bool is_found;
};

static int visit_library(struct dl_phdr_info *info, size_t size, void *argument)
{
    (void)size;
    struct library_search *search = argument;
    if (!contains(info, search->address)) {
        return 0;
    }
    search->is_found = read_library(info, search->library);
    return 1;
}

bool symbol_library_of(const void *address, struct symbol_library *library)
{
    struct library_search search = {.address = (uintptr_t)address, .library = library};
    dl_iterate_phdr(visit_library, &search);
    return search.is_found;
}
