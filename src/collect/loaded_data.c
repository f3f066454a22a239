// SPDX-License-Identifier: Apache-2.0
#include "collect/loaded_data.h"

#include <gelf.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

#define SEGMENT_SIZE_MAX (256u << 20) // no interpreter has more; one that claims it is broken

static struct loaded_segment *find_segment(const struct loaded_data *data, uint64_t address)
{
    for (size_t i = 0; i < data->count; i++) {
        struct loaded_segment *segment = &data->segments[i];
        if (address >= segment->address && address - segment->address < segment->memory_size) {
            return segment;
        }
    }
    return NULL;
}

// Where a word is kept; NULL when it is not in the file's data.
static uint8_t *find_word(const struct loaded_data *data, uint64_t address)
{
    struct loaded_segment *segment = find_segment(data, address);
    if (!segment || !segment->bytes) {
        return NULL;
    }
    uint64_t at = address - segment->address;
    return at < segment->size && segment->size - at >= 8 ? segment->bytes + at : NULL;
}

static void relocate(const struct loaded_data *data, const GElf_Rela *rela, Elf_Data *symbols)
{
    uint64_t value = (uint64_t)rela->r_addend;
    uint64_t type = GELF_R_TYPE(rela->r_info);
    if (type == R_X86_64_64 || type == R_X86_64_GLOB_DAT) {
        GElf_Sym symbol;
        if (!symbols || !gelf_getsym(symbols, (int)GELF_R_SYM(rela->r_info), &symbol) ||
            symbol.st_shndx == SHN_UNDEF) {
            return;
        }
        value += symbol.st_value;
    } else if (type != R_X86_64_RELATIVE) {
        return;
    }
    uint8_t *word = find_word(data, rela->r_offset);
    if (word) {
        memcpy(word, &value, sizeof value);
    }
}

static void relocate_section(const struct loaded_data *data, Elf *elf, Elf_Scn *section,
                             const GElf_Shdr *header)
{
    Elf_Scn *symbol_section = elf_getscn(elf, header->sh_link);
    Elf_Data *symbols = symbol_section ? elf_getdata(symbol_section, NULL) : NULL;
    Elf_Data *entries = elf_getdata(section, NULL);
    size_t count = entries && header->sh_entsize ? header->sh_size / header->sh_entsize : 0;
    for (size_t i = 0; i < count; i++) {
        GElf_Rela rela;
        if (gelf_getrela(entries, (int)i, &rela)) {
            relocate(data, &rela, symbols);
        }
    }
}

bool loaded_data_load(struct loaded_data *data, struct image *image)
{
    *data = (struct loaded_data){0};
    const struct image_segment *segments;
    size_t count = image_segments(image, &segments);
    Elf *elf = image_elf(image);
    data->segments = mem_alloc(count * sizeof *data->segments);
    for (size_t i = 0; elf && i < count; i++) {
        struct loaded_segment *segment = &data->segments[data->count++];
        bool is_code = segments[i].flags & PF_X;
        *segment = (struct loaded_segment){.address = segments[i].address,
                                           .size = segments[i].file_size,
                                           .memory_size = segments[i].memory_size,
                                           .is_writable = segments[i].flags & PF_W,
                                           .is_code = is_code};
        if (is_code || segment->size == 0 || segment->size > SEGMENT_SIZE_MAX) {
            continue;
        }
        segment->bytes = mem_resize(NULL, segment->size);
        if (!image_read(image, segment->address, segment->bytes, segment->size)) {
            return false;
        }
    }
    for (Elf_Scn *section = NULL; elf && (section = elf_nextscn(elf, section));) {
        GElf_Shdr header;
        if (gelf_getshdr(section, &header) && header.sh_type == SHT_RELA &&
            (header.sh_flags & SHF_ALLOC)) {
            relocate_section(data, elf, section, &header);
        }
    }
    return elf && count > 0;
}

uint64_t loaded_data_word(const struct loaded_data *data, uint64_t address)
{
    uint64_t value = 0;
    const uint8_t *word = find_word(data, address);
    if (word) {
        memcpy(&value, word, sizeof value);
    }
    return value;
}

const char *loaded_data_text(const struct loaded_data *data, uint64_t address, size_t max)
{
    const struct loaded_segment *segment = find_segment(data, address);
    if (!segment || !segment->bytes || address - segment->address >= segment->size) {
        return NULL;
    }
    size_t room = segment->size - (address - segment->address);
    const char *text = (const char *)segment->bytes + (address - segment->address);
    return memchr(text, '\0', room < max ? room : max) ? text : NULL;
}

bool loaded_data_holds(const struct loaded_data *data, uint64_t address)
{
    const struct loaded_segment *segment = find_segment(data, address);
    return segment && !segment->is_code;
}

bool loaded_data_is_code(const struct loaded_data *data, uint64_t address)
{
    const struct loaded_segment *segment = find_segment(data, address);
    return segment && segment->is_code;
}

void loaded_data_clear(struct loaded_data *data)
{
    for (size_t i = 0; i < data->count; i++) {
        free(data->segments[i].bytes);
    }
    free(data->segments);
    *data = (struct loaded_data){0};
}
