// SPDX-License-Identifier: Apache-2.0
#include "launch/executable.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "launch/path.h"
#include "wire/program_file.h"

// The file, mapped: all of it is untrusted.
struct image {
    const uint8_t *bytes;
    size_t size;
};

// `size` bytes at `offset`, or NULL when they are not all in the file.
static const void *image_at(const struct image *image, uint64_t offset, uint64_t size)
{
    if (offset > image->size || size > image->size - offset) {
        return NULL;
    }
    return image->bytes + offset;
}

static bool image_text_is(const struct image *image, uint64_t offset, const char *text, size_t len)
{
    const char *found = image_at(image, offset, len);
    return found && memcmp(found, text, len) == 0;
}

static long read_image(const void *context, void *buf, size_t len, uint64_t offset)
{
    const struct image *image = context;
    size_t rest = offset < image->size ? image->size - offset : 0;
    size_t read = len < rest ? len : rest;
    memcpy(buf, read > 0 ? image->bytes + offset : image->bytes, read);
    return (long)read;
}

static const Elf64_Shdr *section_at(const struct image *image, const Elf64_Ehdr *header, unsigned i)
{
    if (header->e_shoff == 0 || i >= header->e_shnum || header->e_shoff % 8 != 0) {
        return NULL;
    }
    return image_at(image, header->e_shoff + (uint64_t)i * sizeof(Elf64_Shdr), sizeof(Elf64_Shdr));
}

static bool exports_python(const struct image *image, const Elf64_Shdr *symbols,
                           const Elf64_Shdr *names)
{
    static const char wanted[] = "Py_GetVersion";
    const Elf64_Sym *symbol = image_at(image, symbols->sh_offset, symbols->sh_size);
    if (!symbol || symbols->sh_offset % 8 != 0) {
        return false;
    }
    for (uint64_t i = 0; i < symbols->sh_size / sizeof *symbol; i++) {
        if (symbol[i].st_shndx != SHN_UNDEF && symbol[i].st_name < names->sh_size &&
            image_text_is(image, names->sh_offset + symbol[i].st_name, wanted, sizeof wanted)) {
            return true;
        }
    }
    return false;
}

static bool needs_library(const struct image *image, const Elf64_Shdr *dynamic,
                          const Elf64_Shdr *names, const char *prefix)
{
    const Elf64_Dyn *entry = image_at(image, dynamic->sh_offset, dynamic->sh_size);
    if (!entry || dynamic->sh_offset % 8 != 0) {
        return false;
    }
    for (uint64_t i = 0; i < dynamic->sh_size / sizeof *entry; i++) {
        if (entry[i].d_tag == DT_NEEDED && entry[i].d_un.d_val < names->sh_size &&
            image_text_is(image, names->sh_offset + entry[i].d_un.d_val, prefix, strlen(prefix))) {
            return true;
        }
    }
    return false;
}

struct signs {
    bool is_cpython;
    bool is_pypy;
    bool is_known; // there were sections to look at
};

static struct signs look_for_python(const struct image *image, const Elf64_Ehdr *header)
{
    struct signs signs = {0};
    for (unsigned i = 0; i < header->e_shnum; i++) {
        const Elf64_Shdr *section = section_at(image, header, i);
        const Elf64_Shdr *names = section ? section_at(image, header, section->sh_link) : NULL;
        if (!names) {
            continue;
        }
        if (section->sh_type == SHT_DYNSYM) {
            signs.is_known = true;
            signs.is_cpython |= exports_python(image, section, names);
        } else if (section->sh_type == SHT_DYNAMIC) {
            signs.is_cpython |= needs_library(image, section, names, "libpython");
            signs.is_pypy |= needs_library(image, section, names, "libpypy");
        }
    }
    return signs;
}

static bool check_signs(const struct image *image, const char *path, struct error *err)
{
    const Elf64_Ehdr *header = image_at(image, 0, sizeof *header);
    struct signs signs = header ? look_for_python(image, header) : (struct signs){0};
    bool is_named_python = strncmp(path_name(path), "python", strlen("python")) == 0;
    if (signs.is_pypy || (signs.is_known && !signs.is_cpython && !is_named_python)) {
        return error_set(err,
                         "cannot profile %s: it is not a CPython interpreter; choose one with "
                         "--python PATH",
                         path);
    }
    return true;
}

static bool refuse(const char *path, const char *why, struct error *err)
{
    return error_set(err, "cannot profile %s: %s; choose another interpreter with --python PATH",
                     path, why);
}

static bool check_content(const struct image *image, const char *path, struct error *err)
{
    switch (program_file_look(read_image, image).kind) {
    case PROGRAM_LOADS:
        return check_signs(image, path, err);
    case PROGRAM_SCRIPT:
        return true;
    case PROGRAM_OTHER_MACHINE:
        return refuse(path, "it is built for another kind of machine than scalene", err);
    case PROGRAM_OTHER_LIBC:
        return refuse(path, "it uses another C library than glibc", err);
    case PROGRAM_STATIC:
        return refuse(path, "it is statically linked, so nothing can be loaded into it", err);
    default:
        return error_set(err,
                         "cannot run %s: it is neither a program nor a script; choose a Python "
                         "interpreter with --python PATH",
                         path);
    }
}

// The loader ignores LD_PRELOAD in a program that runs with more rights than its caller has.
static bool has_more_rights(const char *path, const struct stat *status)
{
    if (((status->st_mode & S_ISUID) && status->st_uid != getuid()) ||
        ((status->st_mode & S_ISGID) && (status->st_mode & S_IXGRP) &&
         status->st_gid != getgid())) {
        return true;
    }
    return getuid() != 0 && getxattr(path, "security.capability", NULL, 0) > 0;
}

bool executable_check(const char *path, struct error *err)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        return errno == EACCES // executable, not readable: the kernel may still run it
                   ? true
                   : error_set(err, "cannot read %s: %s", path, strerror(errno));
    }
    struct stat status;
    struct image image = {.bytes = MAP_FAILED};
    if (fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 0) {
        image.size = (size_t)status.st_size;
        image.bytes = mmap(NULL, image.size, PROT_READ, MAP_PRIVATE, fd, 0);
    }
    close(fd);
    if (image.bytes == MAP_FAILED) {
        return error_set(err, "cannot read %s: it is empty or not a file", path);
    }
    bool is_fine = has_more_rights(path, &status)
                       ? error_set(err,
                                   "cannot profile %s: it runs with other rights than yours "
                                   "(setuid, setgid or capabilities), so nothing can be loaded "
                                   "into it; choose another interpreter with --python PATH",
                                   path)
                       : check_content(&image, path, err);
    munmap((void *)image.bytes, image.size);
    return is_fine;
}
