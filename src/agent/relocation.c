// SPDX-License-Identifier: Apache-2.0
#include "agent/relocation.h"

#include <link.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "agent/syscall.h"

#define PAGE_SIZE  4096u
#define HASH_SLOTS 1024u // of which at most RELOCATION_HOOKS_MAX are taken

_Static_assert(RELOCATION_HOOKS_MAX < HASH_SLOTS / 2, "a search must end");

// Positions in the set plus one, by the hash of the name.
static uint16_t places[HASH_SLOTS];

// What the loader has told of its libraries: how many it had loaded, and unloaded, when they were
// last looked at, and how many there were.
static struct {
    unsigned long long added;
    unsigned long long removed;
    size_t count;
} known;

struct library {
    uintptr_t base;
    const char *strings;
    const ElfW(Sym) * symbols;
    const ElfW(Rela) * tables[2]; // of data, and of calls
    size_t counts[2];
    uintptr_t relro_start; // made read-only by the loader once it had filled it in
    uintptr_t relro_end;
    bool is_open; // we have made that writable
};

struct pass {
    const struct relocation_set *set;
    bool is_back;     // to the originals
    bool is_new_only; // leaves out the first `known.count` libraries
    size_t index;     // of the library that comes next
};

static uint32_t hash_name(const char *name)
{
    uint32_t hash = 5381;
    for (; *name; name++) {
        hash = hash * 33 + (uint8_t)*name;
    }
    return hash;
}

// One set is indexed: the one for all libraries.
static void index_names(const struct relocation_set *set)
{
    if (set->library || places[hash_name(set->hooks[0].name) % HASH_SLOTS] != 0) {
        return;
    }
    for (size_t i = 0; i < set->count; i++) {
        uint32_t at = hash_name(set->hooks[i].name) % HASH_SLOTS;
        while (places[at] != 0) {
            at = (at + 1) % HASH_SLOTS;
        }
        places[at] = (uint16_t)(i + 1);
    }
}

static const struct relocation_hook *find_in_list(const struct relocation_set *set,
                                                  const char *name)
{
    for (size_t i = 0; i < set->count; i++) {
        if (strcmp(set->hooks[i].name, name) == 0) {
            return &set->hooks[i];
        }
    }
    return NULL;
}

// Names of C++ are the most there are, the longest, and never ours.
static const struct relocation_hook *find_hook(const struct relocation_set *set, const char *name)
{
    if (name[0] == '_' && name[1] == 'Z') {
        return NULL;
    }
    if (set->library) {
        return find_in_list(set, name);
    }
    for (uint32_t at = hash_name(name) % HASH_SLOTS; places[at] != 0; at = (at + 1) % HASH_SLOTS) {
        const struct relocation_hook *hook = &set->hooks[places[at] - 1];
        if (strcmp(hook->name, name) == 0) {
            return hook;
        }
    }
    return NULL;
}

static bool is_inside(const struct dl_phdr_info *info, uintptr_t address, unsigned flags)
{
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
        if (segment->p_type == PT_LOAD && (segment->p_flags & flags) == flags &&
            address - (info->dlpi_addr + segment->p_vaddr) < segment->p_memsz) {
            return true;
        }
    }
    return false;
}

// The loader has turned the entries into addresses, except where the section is read-only.
static const void *address_of(uintptr_t base, const ElfW(Dyn) * entry)
{
    uintptr_t value = entry->d_un.d_ptr;
    return (const void *)(value < base ? base + value : value);
}

static void read_dynamic(struct library *library, const ElfW(Dyn) * entry)
{
    for (; entry->d_tag != DT_NULL; entry++) {
        switch (entry->d_tag) {
        case DT_STRTAB:
            library->strings = address_of(library->base, entry);
            break;
        case DT_SYMTAB:
            library->symbols = address_of(library->base, entry);
            break;
        case DT_RELA:
            library->tables[0] = address_of(library->base, entry);
            break;
        case DT_RELASZ:
            library->counts[0] = entry->d_un.d_val / sizeof(ElfW(Rela));
            break;
        case DT_JMPREL:
            library->tables[1] = address_of(library->base, entry);
            break;
        case DT_PLTRELSZ:
            library->counts[1] = entry->d_un.d_val / sizeof(ElfW(Rela));
            break;
        default:
            break;
        }
    }
}

static bool read_library(struct library *library, const struct dl_phdr_info *info)
{
    const ElfW(Dyn) *dynamic = NULL;
    *library = (struct library){.base = info->dlpi_addr};
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
        uintptr_t start = info->dlpi_addr + segment->p_vaddr;
        if (segment->p_type == PT_DYNAMIC) {
            dynamic = (const ElfW(Dyn) *)start;
        } else if (segment->p_type == PT_GNU_RELRO) {
            library->relro_start = start & ~(uintptr_t)(PAGE_SIZE - 1);
            library->relro_end = (start + segment->p_memsz) & ~(uintptr_t)(PAGE_SIZE - 1);
        }
    }
    if (dynamic) {
        read_dynamic(library, dynamic);
    }
    return library->strings && library->symbols;
}

static bool protect(const struct library *library, int protection)
{
    return raw_mprotect((void *)library->relro_start, library->relro_end - library->relro_start,
                        protection) == 0;
}

static void change(struct library *library, _Atomic uintptr_t *slot, uintptr_t value)
{
    uintptr_t at = (uintptr_t)slot;
    bool is_closed = at >= library->relro_start && at < library->relro_end;
    if (is_closed && !library->is_open) {
        library->is_open = protect(library, PROT_READ | PROT_WRITE);
        if (!library->is_open) {
            return;
        }
    }
    atomic_store(slot, value);
}

// A call that has not been made yet leads to code in its own library, which asks the loader.
static bool is_unbound(const struct dl_phdr_info *info, const ElfW(Rela) * entry,
                       const ElfW(Sym) * symbol, uintptr_t value)
{
    return ELF64_R_TYPE(entry->r_info) == R_X86_64_JUMP_SLOT && symbol->st_shndx == SHN_UNDEF &&
           is_inside(info, value, PF_X);
}

static void look_at(const struct pass *pass, const struct dl_phdr_info *info,
                    struct library *library, const ElfW(Rela) * entry)
{
    unsigned type = ELF64_R_TYPE(entry->r_info);
    if ((type != R_X86_64_JUMP_SLOT && type != R_X86_64_GLOB_DAT && type != R_X86_64_64) ||
        (type == R_X86_64_64 && entry->r_addend != 0)) {
        return;
    }
    const ElfW(Sym) *symbol = &library->symbols[ELF64_R_SYM(entry->r_info)];
    const struct relocation_hook *hook = find_hook(pass->set, library->strings + symbol->st_name);
    uintptr_t at = library->base + entry->r_offset;
    if (!hook || !hook->hook || !*hook->original || !is_inside(info, at, PF_W)) {
        return;
    }
    _Atomic uintptr_t *slot = (_Atomic uintptr_t *)at;
    uintptr_t value = atomic_load(slot);
    uintptr_t original = (uintptr_t)*hook->original;
    uintptr_t ours = (uintptr_t)hook->hook;
    if (pass->is_back) {
        if (value == ours && !hook->stays) {
            change(library, slot, original);
        }
    } else if (value == original || is_unbound(info, entry, symbol, value)) {
        change(library, slot, ours);
    }
}

static bool is_loader(const char *path)
{
    const char *slash = strrchr(path, '/');
    return strncmp(slash ? slash + 1 : path, "ld-", 3) == 0;
}

static int visit(struct dl_phdr_info *info, size_t size, void *argument)
{
    struct pass *pass = argument;
    const char *path = info->dlpi_name ? info->dlpi_name : "";
    if (pass->set->library && !strstr(path, pass->set->library)) {
        return 0;
    }
    if (!pass->set->library && pass->index == 0 && size >= sizeof *info) {
        known.added = info->dlpi_adds;
        known.removed = info->dlpi_subs;
    }
    bool is_known = pass->is_new_only && pass->index < known.count;
    pass->index++;
    struct library library;
    if (is_known || is_loader(path) || is_inside(info, (uintptr_t)&relocation_hook_all, PF_X) ||
        !read_library(&library, info)) {
        return 0;
    }
    for (int table = 0; table < 2; table++) {
        for (size_t i = 0; i < library.counts[table]; i++) {
            look_at(pass, info, &library, &library.tables[table][i]);
        }
    }
    if (library.is_open) {
        protect(&library, PROT_READ);
    }
    return 0;
}

static void go(struct pass *pass)
{
    index_names(pass->set);
    dl_iterate_phdr(visit, pass);
    known.count = pass->set->library ? known.count : pass->index;
}

void relocation_hook_all(const struct relocation_set *set)
{
    go(&(struct pass){.set = set});
}

void relocation_unhook_all(const struct relocation_set *set)
{
    go(&(struct pass){.set = set, .is_back = true});
}

// New libraries are the last of the list, unless some were unloaded.
static int compare(struct dl_phdr_info *info, size_t size, void *argument)
{
    struct pass *pass = argument;
    pass->is_new_only = size >= sizeof *info && info->dlpi_subs == known.removed;
    bool has_news = !pass->is_new_only || info->dlpi_adds != known.added;
    return has_news ? 2 : 1;
}

void relocation_hook_new(const struct relocation_set *set)
{
    struct pass pass = {.set = set};
    if (dl_iterate_phdr(compare, &pass) == 2) {
        go(&pass);
    }
}
