// SPDX-License-Identifier: Apache-2.0
#include "wire/program_file.h"

#include <elf.h>
#include <stdbool.h>
#include <string.h>

#if defined(__x86_64__)
#define OWN_MACHINE EM_X86_64
#else
#error "which machine is this?"
#endif

#define SEGMENT_MAX  128u // more than the kernel accepts
#define DYNAMIC_MAX  256u
#define GLIBC_LOADER "ld-linux"

struct source {
    program_file_reader *read;
    const void *context;
};

static bool read_all(const struct source *source, void *buf, size_t len, uint64_t offset)
{
    return source->read(source->context, buf, len, offset) == (long)len;
}

static bool is_own_machine(const Elf64_Ehdr *header)
{
    return header->e_ident[EI_CLASS] == ELFCLASS64 && header->e_ident[EI_DATA] == ELFDATA2LSB &&
           header->e_machine == OWN_MACHINE;
}

static bool find_segment(const struct source *source, const Elf64_Ehdr *header, uint32_t type,
                         Elf64_Phdr *segment)
{
    for (unsigned i = 0; i < header->e_phnum && i < SEGMENT_MAX; i++) {
        uint64_t offset = header->e_phoff + (uint64_t)i * sizeof *segment;
        if (!read_all(source, segment, sizeof *segment, offset)) {
            return false;
        }
        if (segment->p_type == type) {
            return true;
        }
    }
    return false;
}

// glibc's loader has one name on every system, in whatever folder.
static bool is_glibc_loader(const struct source *source, const Elf64_Phdr *segment)
{
    char path[PROGRAM_FILE_PATH_MAX];
    size_t len = segment->p_filesz < sizeof path ? segment->p_filesz : sizeof path - 1;
    if (!read_all(source, path, len, segment->p_offset)) {
        return true;
    }
    path[len] = '\0';
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;
    return strncmp(name, GLIBC_LOADER, sizeof GLIBC_LOADER - 1) == 0;
}

// The loader itself can be run as a program, and loads what it is told to. It has no loader, as a
// static program has none, but a name of its own, as a static program has not.
static bool is_loader(const struct source *source, const Elf64_Ehdr *header)
{
    Elf64_Phdr segment;
    if (!find_segment(source, header, PT_DYNAMIC, &segment)) {
        return false;
    }
    for (unsigned i = 0; i < segment.p_filesz / sizeof(Elf64_Dyn) && i < DYNAMIC_MAX; i++) {
        Elf64_Dyn entry;
        uint64_t offset = segment.p_offset + (uint64_t)i * sizeof entry;
        if (!read_all(source, &entry, sizeof entry, offset) || entry.d_tag == DT_NULL) {
            return false;
        }
        if (entry.d_tag == DT_SONAME) {
            return true;
        }
    }
    return false;
}

static enum program_kind kind_of_elf(const struct source *source)
{
    Elf64_Ehdr header;
    Elf64_Phdr segment;
    if (!read_all(source, &header, sizeof header, 0) || !is_own_machine(&header)) {
        return PROGRAM_OTHER_MACHINE;
    }
    if (find_segment(source, &header, PT_INTERP, &segment)) {
        return is_glibc_loader(source, &segment) ? PROGRAM_LOADS : PROGRAM_OTHER_LIBC;
    }
    return is_loader(source, &header) ? PROGRAM_LOADS : PROGRAM_STATIC;
}

// As the kernel reads it: blanks around the path do not count, and there may be an argument.
static void take_interpreter(const char *line, struct program_file *file)
{
    line += strspn(line, " \t");
    size_t len = strcspn(line, " \t\n");
    if (len > 0 && len < sizeof file->interpreter) {
        memcpy(file->interpreter, line, len);
        file->interpreter[len] = '\0';
        file->kind = PROGRAM_SCRIPT;
    }
}

struct program_file program_file_look(program_file_reader *read, const void *context)
{
    struct source source = {read, context};
    struct program_file file = {.kind = PROGRAM_UNKNOWN};
    char head[PROGRAM_FILE_PATH_MAX];
    long len = read(context, head, sizeof head - 1, 0);
    if (len >= SELFMAG && memcmp(head, ELFMAG, SELFMAG) == 0) {
        file.kind = kind_of_elf(&source);
    } else if (len > 2 && head[0] == '#' && head[1] == '!') {
        head[len] = '\0';
        take_interpreter(head + 2, &file);
    }
    return file;
}
