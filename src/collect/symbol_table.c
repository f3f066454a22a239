// SPDX-License-Identifier: Apache-2.0
#include "collect/symbol_table.h"

#include <fcntl.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"

#define SYMBOL_MAX     4000000
#define READ_AT_ONCE   4096u
#define SAME_MAX       8    // names of one address that are chosen from
#define LOOK_BACK      16   // symbols inside another one, such as labels of assembly
#define UNSIZED_LENGTH 4096 // how far a symbol without a size may reach where nothing else tells
#define NAME_PIECE     256
#define NAME_MAX_LEN   65536

static bool read_source(const struct symbol_table *table, enum symbol_source source,
                        uint64_t offset, void *bytes, size_t len)
{
    if (source != SYMBOL_OF_DEBUG_FILE) {
        return image_read_file(table->image, offset, bytes, len);
    }
    return pread(table->debug_fd, bytes, len, (off_t)offset) == (ssize_t)len;
}

static bool names_function(const Elf64_Sym *symbol)
{
    int type = ELF64_ST_TYPE(symbol->st_info);
    bool is_kind = type == STT_FUNC || type == STT_GNU_IFUNC || type == STT_NOTYPE;
    return is_kind && symbol->st_shndx != SHN_UNDEF && symbol->st_shndx < SHN_LORESERVE &&
           symbol->st_value != 0;
}

static void add(struct symbol_table *table, const Elf64_Sym *symbol, enum symbol_source source)
{
    bool has_name = symbol->st_name > 0 && symbol->st_name < table->texts[source].size;
    if (!has_name || !names_function(symbol) || !image_is_code(table->image, symbol->st_value)) {
        return;
    }
    table->symbols =
        mem_grow(table->symbols, table->count, &table->capacity, sizeof *table->symbols);
    table->symbols[table->count++] = (struct symbol){
        .address = symbol->st_value,
        .source = source,
        .is_local = ELF64_ST_BIND(symbol->st_info) == STB_LOCAL,
        .is_untyped = ELF64_ST_TYPE(symbol->st_info) == STT_NOTYPE,
        .size = symbol->st_size < UINT32_MAX ? (uint32_t)symbol->st_size : UINT32_MAX,
        .name = symbol->st_name,
    };
}

static void add_entries(struct symbol_table *table, enum symbol_source source,
                        const GElf_Shdr *header)
{
    Elf64_Sym *entries = mem_alloc(READ_AT_ONCE * sizeof *entries);
    size_t count = header->sh_size / sizeof *entries;
    for (size_t i = 0; i < count && table->count < SYMBOL_MAX; i += READ_AT_ONCE) {
        size_t part = count - i < READ_AT_ONCE ? count - i : READ_AT_ONCE;
        if (!read_source(table, source, header->sh_offset + i * sizeof *entries, entries,
                         part * sizeof *entries)) {
            break;
        }
        for (size_t j = 0; j < part && table->count < SYMBOL_MAX; j++) {
            add(table, &entries[j], source);
        }
    }
    free(entries);
}

static bool add_section(struct symbol_table *table, enum symbol_source source, Elf *elf,
                        uint32_t section_type)
{
    size_t before = table->count;
    GElf_Shdr header = {0};
    for (Elf_Scn *section = NULL; elf && (section = elf_nextscn(elf, section));) {
        if (gelf_getshdr(section, &header) && header.sh_type == section_type) {
            break;
        }
        header.sh_type = SHT_NULL;
    }
    GElf_Shdr texts;
    if (header.sh_type == section_type && header.sh_entsize == sizeof(Elf64_Sym) &&
        gelf_getshdr(elf_getscn(elf, header.sh_link), &texts)) {
        table->texts[source] = (struct symbol_texts){texts.sh_offset, texts.sh_size};
        add_entries(table, source, &header);
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
    int a_rank = a->is_untyped << 1 | a->is_local;
    return a_rank - (b->is_untyped << 1 | b->is_local);
}

// Of each address a few names to choose from, all with the largest size that any of them has.
static void keep_few(struct symbol_table *table)
{
    size_t kept = 0;
    for (size_t i = 0; i < table->count;) {
        size_t first = kept;
        uint64_t address = table->symbols[i].address;
        uint32_t size = 0;
        for (; i < table->count && table->symbols[i].address == address; i++) {
            size = table->symbols[i].size > size ? table->symbols[i].size : size;
            if (kept - first < SAME_MAX) {
                table->symbols[kept++] = table->symbols[i];
            }
        }
        for (size_t j = first; j < kept; j++) {
            table->symbols[j].size = size;
        }
    }
    table->count = kept;
    if (kept > 0) {
        table->symbols = mem_resize(table->symbols, kept * sizeof *table->symbols);
        table->capacity = kept;
    }
}

void symbol_table_load(struct symbol_table *table, struct image *image, const char *debug_dir)
{
    *table = (struct symbol_table){.image = image, .debug_fd = -1};
    Elf *elf = image_elf(image);
    if (!elf) {
        return;
    }
    if (!add_section(table, SYMBOL_OF_FILE, elf, SHT_SYMTAB)) {
        open_debug_file(table, image_build_id(image), debug_dir);
        add_section(table, SYMBOL_OF_DEBUG_FILE, table->debug, SHT_SYMTAB);
        add_section(table, SYMBOL_DYNAMIC, elf, SHT_DYNSYM);
    }
    if (table->count > 0) {
        qsort(table->symbols, table->count, sizeof *table->symbols, compare_symbols);
    }
    keep_few(table);
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
    const struct symbol *symbols = table->symbols;
    size_t place = upper_bound(table, address);
    for (unsigned steps = 0; place > 0 && steps < LOOK_BACK; steps++) {
        place--;
        while (place > 0 && symbols[place - 1].address == symbols[place].address) {
            place--;
        }
        if (covers(&symbols[place], address, function, steps == 0)) {
            return &symbols[place];
        }
    }
    return NULL;
}

static void read_name(const struct symbol_table *table, const struct symbol *symbol,
                      struct text *name)
{
    const struct symbol_texts *texts = &table->texts[symbol->source];
    uint64_t at = symbol->name;
    size_t end = 0;
    size_t len = 0;
    while (end == len && at < texts->size && name->len < NAME_MAX_LEN) {
        char piece[NAME_PIECE];
        len = texts->size - at < sizeof piece ? (size_t)(texts->size - at) : sizeof piece;
        if (!read_source(table, symbol->source, texts->offset + at, piece, len)) {
            break;
        }
        end = strnlen(piece, len);
        text_add_bytes(name, piece, end);
        at += end;
    }
}

// Plain names before internal ones, exported before local, short before long.
static uint64_t rank_of(const struct symbol *symbol, const struct text *name)
{
    size_t underscores = strspn(name->data, "_");
    return (uint64_t)symbol->is_untyped << 32 | (underscores < 7 ? underscores : 7) << 24 |
           (uint64_t)symbol->is_local << 20 | name->len;
}

void symbol_table_name(const struct symbol_table *table, const struct symbol *symbol,
                       struct text *name)
{
    uint64_t address = symbol->address;
    uint64_t best = UINT64_MAX;
    for (const struct symbol *end = table->symbols + table->count;
         symbol < end && symbol->address == address; symbol++) {
        struct text other = {0};
        read_name(table, symbol, &other);
        if (other.len > 0 && rank_of(symbol, &other) < best) {
            best = rank_of(symbol, &other);
            text_clear(name);
            *name = other;
        } else {
            text_clear(&other);
        }
    }
}

void symbol_table_clear(struct symbol_table *table)
{
    if (table->debug) {
        elf_end(table->debug);
    }
    if (table->debug_fd > 0) {
        close(table->debug_fd);
    }
    free(table->symbols);
    *table = (struct symbol_table){.debug_fd = -1};
}
