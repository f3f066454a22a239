// SPDX-License-Identifier: Apache-2.0
#include "collect/symbol_table.h"

#include <fcntl.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/text.h"

#define SYMBOL_MAX     4000000
#define LOOK_BACK      16   // symbols inside another one, such as labels of assembly
#define UNSIZED_LENGTH 4096 // how far a symbol without a size may reach where nothing else tells

// Plain names before internal ones, exported before local.
static uint32_t rank_of(const char *name, unsigned char info)
{
    size_t underscores = strspn(name, "_");
    size_t len = strnlen(name, 4096);
    bool is_local = GELF_ST_BIND(info) == STB_LOCAL;
    bool is_untyped = GELF_ST_TYPE(info) == STT_NOTYPE;
    return (uint32_t)(is_untyped << 30 | (underscores < 7 ? underscores : 7) << 20 |
                      is_local << 16 | len);
}

static bool names_function(const GElf_Sym *symbol)
{
    int type = GELF_ST_TYPE(symbol->st_info);
    bool is_kind = type == STT_FUNC || type == STT_GNU_IFUNC || type == STT_NOTYPE;
    return is_kind && symbol->st_shndx != SHN_UNDEF && symbol->st_shndx < SHN_LORESERVE &&
           symbol->st_value != 0;
}

static void add_section(struct symbol_table *table, struct image *image, Elf *elf, Elf_Scn *section,
                        const GElf_Shdr *header)
{
    Elf_Data *data = elf_getdata(section, NULL);
    size_t count = data && header->sh_entsize ? header->sh_size / header->sh_entsize : 0;
    for (size_t i = 1; i < count && table->count < SYMBOL_MAX; i++) {
        GElf_Sym symbol;
        if (!gelf_getsym(data, (int)i, &symbol) || !names_function(&symbol) ||
            !image_is_code(image, symbol.st_value)) {
            continue;
        }
        const char *name = elf_strptr(elf, header->sh_link, symbol.st_name);
        if (!name || name[0] == '\0') {
            continue;
        }
        table->symbols =
            mem_grow(table->symbols, table->count, &table->capacity, sizeof *table->symbols);
        table->symbols[table->count++] =
            (struct symbol){symbol.st_value, symbol.st_size, name, rank_of(name, symbol.st_info)};
    }
}

static bool add_sections(struct symbol_table *table, struct image *image, Elf *elf,
                         uint32_t section_type)
{
    size_t before = table->count;
    for (Elf_Scn *section = NULL; elf && (section = elf_nextscn(elf, section));) {
        GElf_Shdr header;
        if (gelf_getshdr(section, &header) && header.sh_type == section_type) {
            add_section(table, image, elf, section, &header);
        }
    }
    return table->count > before;
}

static void open_debug_file(struct symbol_table *table, const char *build_id, const char *debug_dir)
{
    if (strlen(build_id) < 3) {
        return;
    }
    struct text path = {0};
    text_format(&path, "%s/.build-id/%.2s/%s.debug", debug_dir, build_id, build_id + 2);
    table->debug_fd = open(path.data, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (table->debug_fd >= 0) {
        table->debug = elf_begin(table->debug_fd, ELF_C_READ, NULL);
    }
    text_clear(&path);
}

static int compare_symbols(const void *left, const void *right)
{
    const struct symbol *a = left;
    const struct symbol *b = right;
    if (a->address != b->address) {
        return a->address < b->address ? -1 : 1;
    }
    return a->rank < b->rank ? -1 : a->rank > b->rank;
}

// Keeps the best name of each address, with the largest size that any of its names has.
static void keep_best(struct symbol_table *table)
{
    size_t kept = 0;
    for (size_t i = 0; i < table->count; i++) {
        struct symbol *symbol = &table->symbols[i];
        struct symbol *last = kept ? &table->symbols[kept - 1] : NULL;
        if (last && last->address == symbol->address) {
            last->size = symbol->size > last->size ? symbol->size : last->size;
        } else {
            table->symbols[kept++] = *symbol;
        }
    }
    table->count = kept;
}

void symbol_table_load(struct symbol_table *table, struct image *image, const char *debug_dir)
{
    *table = (struct symbol_table){.debug_fd = -1};
    Elf *elf = image_elf(image);
    if (!elf) {
        return;
    }
    if (!add_sections(table, image, elf, SHT_SYMTAB)) {
        open_debug_file(table, image_build_id(image), debug_dir);
        add_sections(table, image, table->debug, SHT_SYMTAB);
        add_sections(table, image, elf, SHT_DYNSYM);
    }
    if (table->count > 0) {
        qsort(table->symbols, table->count, sizeof *table->symbols, compare_symbols);
    }
    keep_best(table);
}

// The index after the last symbol at or below the address.
static size_t upper_bound(const struct symbol_table *table, uint64_t address)
{
    size_t low = 0;
    size_t high = table->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (table->symbols[middle].address <= address) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

static bool covers(const struct symbol *symbol, uint64_t address, uint64_t function, bool is_last)
{
    uint64_t distance = address - symbol->address;
    if (symbol->size > 0) {
        return distance < symbol->size || symbol->address == function;
    }
    // Assembly. Another function's start in between would tell that it has ended.
    return is_last && symbol->address >= function && distance < UNSIZED_LENGTH;
}

const struct symbol *symbol_table_find(const struct symbol_table *table, uint64_t address,
                                       uint64_t function)
{
    size_t after = upper_bound(table, address);
    for (size_t i = after; i > 0 && after - i < LOOK_BACK; i--) {
        const struct symbol *symbol = &table->symbols[i - 1];
        if (covers(symbol, address, function, i == after)) {
            return symbol;
        }
    }
    return NULL;
}

void symbol_table_clear(struct symbol_table *table)
{
    if (table->debug) {
        elf_end(table->debug);
        close(table->debug_fd);
    } else if (table->debug_fd > 0) {
        close(table->debug_fd);
    }
    free(table->symbols);
    *table = (struct symbol_table){.debug_fd = -1};
}
