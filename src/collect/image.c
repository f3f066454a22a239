// SPDX-License-Identifier: Apache-2.0
#include "collect/image.h"

#include <elfutils/libdwelf.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/map.h"
#include "base/mem.h"
#include "base/text.h"

#define DELETED_SUFFIX " (deleted)"
#define SEGMENT_MAX    64 // a file with more is not a loader's

struct image {
    char *path;
    char *file_path; // what to open; NULL when the file is not to be had
    struct stat seen;
    uint32_t index;
    bool is_opened;
    int fd;
    Elf *elf;
    Dwarf_CFI *cfi;
    const uint8_t *memory; // the vdso's
    size_t memory_size;
    struct image_segment *segments;
    size_t segment_count;
    struct function_table functions;
    char build_id[2 * 64 + 1];
    void *kept;
    void (*release)(void *kept);
};

struct image_cache {
    struct names keys; // path and identity; the index is the image's
    struct image **images;
    size_t count;
    size_t capacity;
};

struct image_cache *image_cache_new(void)
{
    elf_version(EV_CURRENT);
    return mem_alloc(sizeof(struct image_cache));
}

static void image_free(struct image *image)
{
    if (image->kept) {
        image->release(image->kept);
    }
    if (image->cfi) {
        dwarf_cfi_end(image->cfi);
    }
    if (image->elf) {
        elf_end(image->elf);
    }
    if (image->fd >= 0) {
        close(image->fd);
    }
    free(image->segments);
    free(image->path);
    free(image->file_path);
    free(image);
}

void image_cache_free(struct image_cache *cache)
{
    if (!cache) {
        return;
    }
    for (size_t i = 0; i < cache->count; i++) {
        image_free(cache->images[i]);
    }
    free(cache->images);
    names_clear(&cache->keys);
    free(cache);
}

static bool ends_with(const char *text, const char *end)
{
    size_t len = strlen(text);
    return len >= strlen(end) && strcmp(text + len - strlen(end), end) == 0;
}

// Only a regular file is ever opened: a device or a pipe could do anything.
static char *find_file(const char *path, int pid, struct stat *seen)
{
    if (path[0] == '/' && stat(path, seen) == 0 && S_ISREG(seen->st_mode)) {
        return mem_copy_text(path);
    }
    if (path[0] == '/' && pid > 0) {
        struct text inside = {0};
        text_format(&inside, "/proc/%d/root%s", pid, path);
        if (stat(inside.data, seen) == 0 && S_ISREG(seen->st_mode)) {
            return inside.data;
        }
        text_clear(&inside);
    }
    *seen = (struct stat){0};
    return NULL;
}

static bool is_vdso(const char *path)
{
    return strcmp(path, IMAGE_VDSO_PATH) == 0 || strncmp(path, "linux-vdso.so", 13) == 0;
}

static uint32_t image_key(struct image_cache *cache, const char *path, const struct stat *seen)
{
    struct text key = {0};
    text_format(&key, "%s|%llx:%llx:%llx.%lx:%llx", path, (unsigned long long)seen->st_dev,
                (unsigned long long)seen->st_ino, (unsigned long long)seen->st_mtim.tv_sec,
                (unsigned long)seen->st_mtim.tv_nsec, (unsigned long long)seen->st_size);
    uint32_t index = names_add(&cache->keys, key.data, key.len);
    text_clear(&key);
    return index;
}

struct image *image_cache_get(struct image_cache *cache, const char *path, int pid)
{
    path = is_vdso(path) ? IMAGE_VDSO_PATH : path;
    bool is_deleted = ends_with(path, DELETED_SUFFIX);
    size_t len = strlen(path) - (is_deleted ? strlen(DELETED_SUFFIX) : 0);
    struct stat seen = {0};
    char *file_path = is_deleted ? NULL : find_file(path, pid, &seen);
    uint32_t index = image_key(cache, path, &seen);
    if (index < cache->count) {
        free(file_path);
        return cache->images[index];
    }
    struct image *image = mem_alloc(sizeof *image);
    *image = (struct image){.path = mem_copy_bytes(path, len),
                            .file_path = file_path,
                            .seen = seen,
                            .index = index,
                            .fd = -1};
    cache->images = mem_grow(cache->images, cache->count, &cache->capacity, sizeof(struct image *));
    cache->images[cache->count++] = image;
    return image;
}

const char *image_path(const struct image *image)
{
    return image->path;
}

uint32_t image_index(const struct image *image)
{
    return image->index;
}

// The kernel keeps section headers last in the vdso.
static void open_vdso(struct image *image)
{
    const Elf64_Ehdr *header = (const Elf64_Ehdr *)getauxval(AT_SYSINFO_EHDR); // NOLINT
    if (!header) {
        return;
    }
    image->memory = (const uint8_t *)header;
    image->memory_size = header->e_shoff + (size_t)header->e_shnum * header->e_shentsize;
    image->elf = elf_memory((char *)header, image->memory_size);
}

static void open_file(struct image *image)
{
    struct stat now;
    image->fd = open(image->file_path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (image->fd < 0 || fstat(image->fd, &now) != 0 || now.st_ino != image->seen.st_ino ||
        now.st_dev != image->seen.st_dev || now.st_size != image->seen.st_size ||
        now.st_mtim.tv_sec != image->seen.st_mtim.tv_sec ||
        now.st_mtim.tv_nsec != image->seen.st_mtim.tv_nsec) {
        return;
    }
    // Reading instead of mapping: a file cut short under us must not end us with SIGBUS.
    image->elf = elf_begin(image->fd, ELF_C_READ, NULL);
}

static bool is_ours(Elf *elf)
{
    GElf_Ehdr header;
    return elf_kind(elf) == ELF_K_ELF && gelf_getehdr(elf, &header) &&
           header.e_machine == EM_X86_64 && gelf_getclass(elf) == ELFCLASS64 &&
           (header.e_type == ET_EXEC || header.e_type == ET_DYN);
}

static struct byte_range file_range(struct image *image, uint64_t address, size_t len)
{
    struct byte_range range = {.address = address};
    for (size_t i = 0; i < image->segment_count; i++) {
        const struct image_segment *segment = &image->segments[i];
        uint64_t at = address - segment->address;
        if (address < segment->address || at >= segment->file_size) {
            continue;
        }
        uint64_t room = segment->file_size - at;
        size_t size = len < room ? len : (size_t)room;
        Elf_Data *data =
            elf_getdata_rawchunk(image->elf, (int64_t)(segment->offset + at), size, ELF_T_BYTE);
        if (data && data->d_buf) {
            range.bytes = data->d_buf;
            range.len = data->d_size;
        }
        break;
    }
    return range;
}

static size_t section_size(Elf *elf, uint64_t address)
{
    for (Elf_Scn *section = NULL; (section = elf_nextscn(elf, section));) {
        GElf_Shdr header;
        if (gelf_getshdr(section, &header) && header.sh_addr == address &&
            (header.sh_flags & SHF_ALLOC)) {
            return header.sh_size;
        }
    }
    return SIZE_MAX; // without section headers: to the segment's end
}

static void load_functions(struct image *image, const GElf_Phdr *phdr)
{
    struct byte_range header = file_range(image, phdr->p_vaddr, phdr->p_filesz);
    uint64_t address = function_table_frames_address(header);
    if (address != 0) {
        struct byte_range frames = file_range(image, address, section_size(image->elf, address));
        function_table_init(&image->functions, header, frames);
    }
}

static void load_segments(struct image *image)
{
    size_t count = 0;
    if (elf_getphdrnum(image->elf, &count) != 0 || count > SEGMENT_MAX) {
        return;
    }
    image->segments = mem_alloc(count * sizeof *image->segments);
    GElf_Phdr exceptions = {0};
    for (size_t i = 0; i < count; i++) {
        GElf_Phdr phdr;
        if (!gelf_getphdr(image->elf, (int)i, &phdr)) {
            break;
        }
        if (phdr.p_type == PT_LOAD) {
            image->segments[image->segment_count++] = (struct image_segment){
                phdr.p_vaddr, phdr.p_offset, phdr.p_filesz, phdr.p_memsz, phdr.p_flags};
        } else if (phdr.p_type == PT_GNU_EH_FRAME) {
            exceptions = phdr;
        }
    }
    if (exceptions.p_filesz > 0) {
        load_functions(image, &exceptions);
    }
}

static void load_build_id(struct image *image)
{
    const void *bytes = NULL;
    ssize_t len = dwelf_elf_gnu_build_id(image->elf, &bytes);
    for (ssize_t i = 0; i < len && i < 64; i++) {
        snprintf(image->build_id + 2 * i, 3, "%02x", ((const uint8_t *)bytes)[i]);
    }
}

static void image_open(struct image *image)
{
    if (image->is_opened) {
        return;
    }
    image->is_opened = true;
    if (is_vdso(image->path)) {
        open_vdso(image);
    } else if (image->file_path) {
        open_file(image);
    }
    if (!image->elf) {
        return;
    }
    if (!is_ours(image->elf)) {
        elf_end(image->elf);
        image->elf = NULL;
        return;
    }
    load_segments(image);
    load_build_id(image);
    image->cfi = dwarf_getcfi_elf(image->elf);
}

Elf *image_elf(struct image *image)
{
    image_open(image);
    return image->elf;
}

Dwarf_CFI *image_cfi(struct image *image)
{
    image_open(image);
    return image->cfi;
}

size_t image_segments(struct image *image, const struct image_segment **segments)
{
    image_open(image);
    *segments = image->segments;
    return image->segment_count;
}

const struct function_table *image_functions(struct image *image)
{
    image_open(image);
    return &image->functions;
}

const char *image_build_id(struct image *image)
{
    image_open(image);
    return image->build_id;
}

bool image_address_of_offset(struct image *image, uint64_t offset, uint64_t *address)
{
    image_open(image);
    for (size_t i = 0; i < image->segment_count; i++) {
        const struct image_segment *segment = &image->segments[i];
        uint64_t page_offset = segment->offset & ~UINT64_C(0xfff); // the kernel maps whole pages
        if (offset >= page_offset && offset < segment->offset + segment->file_size &&
            (segment->flags & PF_X)) {
            *address = segment->address - segment->offset + offset;
            return true;
        }
    }
    return false;
}

static const struct image_segment *segment_of(struct image *image, uint64_t address)
{
    image_open(image);
    for (size_t i = 0; i < image->segment_count; i++) {
        const struct image_segment *segment = &image->segments[i];
        if (address >= segment->address && address - segment->address < segment->file_size) {
            return segment;
        }
    }
    return NULL;
}

bool image_is_code(struct image *image, uint64_t address)
{
    const struct image_segment *segment = segment_of(image, address);
    return segment && (segment->flags & PF_X);
}

bool image_read_file(struct image *image, uint64_t offset, void *bytes, size_t len)
{
    image_open(image);
    if (image->memory) {
        bool is_inside = offset <= image->memory_size && len <= image->memory_size - offset;
        if (is_inside) {
            memcpy(bytes, image->memory + offset, len);
        }
        return is_inside;
    }
    return image->elf && pread(image->fd, bytes, len, (off_t)offset) == (ssize_t)len;
}

bool image_read(struct image *image, uint64_t address, void *bytes, size_t len)
{
    const struct image_segment *segment = segment_of(image, address);
    if (!segment || len > segment->file_size - (address - segment->address)) {
        return false;
    }
    return image_read_file(image, segment->offset + (address - segment->address), bytes, len);
}

void image_keep(struct image *image, void *kept, void (*release)(void *kept))
{
    if (image->kept) {
        image->release(image->kept);
    }
    image->kept = kept;
    image->release = release;
}

void *image_kept(const struct image *image)
{
    return image->kept;
}
