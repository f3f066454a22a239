// SPDX-License-Identifier: Apache-2.0
#pragma once

// A file with code that the program has mapped. Images are shared by all processes of a run, and a
// file changed on disk meanwhile is another image. Naming one costs a stat; the file is opened when
// a frame first needs it. A file that is missing, deleted, replaced or no ELF is an image about
// which nothing is known but its path. Addresses are the file's own (memory minus bias).
// The cache owns its images and all strings and handles they give out.

#include <elfutils/libdw.h>
#include <libelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collect/function_table.h"

#define IMAGE_VDSO_PATH "[vdso]" // its contents are those of our own: it is the same kernel's

struct image;
struct image_cache;

struct image_segment {
    uint64_t address;
    uint64_t offset; // in the file
    uint64_t file_size;
    uint64_t memory_size;
    uint32_t flags; // PF_X, PF_W, PF_R
};

struct image_cache *image_cache_new(void);
void image_cache_free(struct image_cache *cache);

// `pid` (0: none) names a process through whose root folder the path is tried as well.
struct image *image_cache_get(struct image_cache *cache, const char *path, int pid);

const char *image_path(const struct image *image); // without " (deleted)"

// From 0 up, in the order of first sight.
uint32_t image_index(const struct image *image);

// Handles of elfutils; NULL when the file cannot be read, or has none.
Elf *image_elf(struct image *image);
Dwarf_CFI *image_cfi(struct image *image);

size_t image_segments(struct image *image, const struct image_segment **segments);

// Never NULL; empty for an unknown file.
const struct function_table *image_functions(struct image *image);

// The address of the file's byte at `offset`, as its loader sees it.
bool image_address_of_offset(struct image *image, uint64_t offset, uint64_t *address);

bool image_is_code(struct image *image, uint64_t address);

// Bytes as the file has them, before relocation.
bool image_read(struct image *image, uint64_t address, void *bytes, size_t len);

// The file's bytes at an offset, loaded or not.
bool image_read_file(struct image *image, uint64_t offset, void *bytes, size_t len);

// The build id as hexadecimal digits, "" when it has none.
const char *image_build_id(struct image *image);

// What one user of the image worked out about it, released with it.
void image_keep(struct image *image, void *kept, void (*release)(void *kept));
void *image_kept(const struct image *image);
