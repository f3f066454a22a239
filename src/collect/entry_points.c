// SPDX-License-Identifier: Apache-2.0
#include "collect/entry_points.h"

#include <gelf.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "collect/entry_scan.h"
#include "collect/loaded_data.h"

// Exported functions that call a C function for the evaluation loop, of 3.8.
static const char *const trampolines[] = {"_PyMethodDef_RawFastCallKeywords",
                                          "_PyMethodDef_RawFastCallDict"};

// And of 3.15: _Py...THIS..._StackRef.
static const char *const trampoline_parts[] = {"CallMethodDescriptor", "BuiltinCall",
                                               "CallBuiltin"};

// Functions that types point to without doing a call's work themselves.
static const char *const exclusions[] = {"PyType_GenericNew", "PyVectorcall_Call",
                                         "PyType_GenericAlloc", "_PyFunction_Vectorcall"};

static bool is_one_of(const char *name, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(name, names[i]) == 0) {
            return true;
        }
    }
    return false;
}

static bool ends_with(const char *name, const char *end)
{
    size_t len = strlen(name);
    return len >= strlen(end) && strcmp(name + len - strlen(end), end) == 0;
}

static bool is_trampoline(const char *name)
{
    for (size_t i = 0; ends_with(name, "_StackRef") && i < 3; i++) {
        if (strstr(name, trampoline_parts[i])) {
            return true;
        }
    }
    return is_one_of(name, trampolines, sizeof trampolines / sizeof *trampolines);
}

static bool is_type_name(const char *name)
{
    return strncmp(name + (name[0] == '_'), "Py", 2) == 0 && ends_with(name, "_Type");
}

static void add_export(struct entry_points *points, struct entry_scan *scan, const char *name,
                       const GElf_Sym *symbol)
{
    if (GELF_ST_TYPE(symbol->st_info) == STT_OBJECT) {
        if (is_type_name(name)) {
            entry_scan_add_type(scan, symbol->st_value, name);
        }
    } else if (is_trampoline(name)) {
        entry_points_add(points, symbol->st_value, ENTRY_ROLE_TRAMPOLINE);
    } else if (is_one_of(name, exclusions, sizeof exclusions / sizeof *exclusions)) {
        entry_points_exclude(points, symbol->st_value);
    }
}

static void add_exports(struct entry_points *points, struct entry_scan *scan, Elf *elf)
{
    for (Elf_Scn *section = NULL; (section = elf_nextscn(elf, section));) {
        GElf_Shdr header;
        if (!gelf_getshdr(section, &header) || header.sh_type != SHT_DYNSYM) {
            continue;
        }
        Elf_Data *data = elf_getdata(section, NULL);
        size_t count = data && header.sh_entsize ? header.sh_size / header.sh_entsize : 0;
        for (size_t i = 1; i < count; i++) {
            GElf_Sym symbol;
            if (!gelf_getsym(data, (int)i, &symbol) || symbol.st_shndx == SHN_UNDEF) {
                continue;
            }
            const char *name = elf_strptr(elf, header.sh_link, symbol.st_name);
            if (name && strstr(name, "Py")) {
                add_export(points, scan, name, &symbol);
            }
        }
    }
}

bool entry_points_scan(struct entry_points *points, struct image *image, int python_minor)
{
    *points = (struct entry_points){0};
    struct loaded_data data;
    bool is_loaded = loaded_data_load(&data, image);
    if (is_loaded) {
        struct entry_scan scan = {.points = points,
                                  .data = &data,
                                  .functions = image_functions(image),
                                  .python_minor = python_minor};
        add_exports(points, &scan, image_elf(image));
        entry_scan_run(&scan);
        entry_scan_clear(&scan);
    }
    loaded_data_clear(&data);
    return is_loaded;
}

static void release(void *kept)
{
    entry_points_clear(kept);
    free(kept);
}

const struct entry_points *entry_points_of(struct image *image, int python_minor)
{
    struct entry_points *points = image_kept(image);
    if (!points) {
        points = mem_alloc(sizeof *points);
        entry_points_scan(points, image, python_minor);
        image_keep(image, points, release);
    }
    return points->roles.count > 0 ? points : NULL;
}

enum entry_role entry_points_role(const struct entry_points *points, uint64_t address)
{
    enum entry_role role = (enum entry_role)map_get(&points->roles, address);
    bool is_excluded = role != ENTRY_ROLE_DEALLOC && map_get(&points->excluded, address);
    return is_excluded ? ENTRY_ROLE_NONE : role;
}

bool entry_points_is_excluded(const struct entry_points *points, uint64_t address)
{
    return map_get(&points->excluded, address) != 0;
}

const char *entry_points_name(const struct entry_points *points, uint64_t address)
{
    uint64_t index = map_get(&points->labels, address);
    return index ? points->names.texts[index - 1] : NULL;
}

void entry_points_add(struct entry_points *points, uint64_t address, enum entry_role role)
{
    bool is_new = address != 0 && map_get(&points->roles, address) == 0;
    if (is_new || (address != 0 && role == ENTRY_ROLE_TRAMPOLINE)) {
        map_put(&points->roles, address, role);
    }
}

void entry_points_exclude(struct entry_points *points, uint64_t address)
{
    if (address != 0) {
        map_put(&points->excluded, address, 1);
    }
}

void entry_points_label(struct entry_points *points, uint64_t address, const char *owner,
                        const char *name)
{
    if (address == 0 || map_get(&points->labels, address) != 0) {
        return;
    }
    struct text text = {0};
    text_format(&text, owner ? "%s.%s" : "%s%s", owner ? owner : "", name);
    uint32_t index = names_add(&points->names, text.data, text.len);
    map_put(&points->labels, address, (uint64_t)index + 1);
    text_clear(&text);
}

void entry_points_clear(struct entry_points *points)
{
    map_clear(&points->roles);
    map_clear(&points->excluded);
    map_clear(&points->labels);
    names_clear(&points->names);
    *points = (struct entry_points){0};
}
