// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which file's code is at an address of one process. Filled from the agent's MODULE records, or
// from the kernel's list of mappings. A later entry replaces what it overlaps: libraries come and
// go. Zero-initialised with a cache is an empty space; the images stay the cache's.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collect/image.h"

struct address_region {
    uint64_t start;
    uint64_t end;
    uint64_t bias;   // address in memory minus address in the file
    uint64_t offset; // of the region's start in the file, while the bias is not known
    bool has_bias;
    struct image *image;
};

struct address_space {
    struct image_cache *images;
    int pid;                        // 0 when there is none to ask
    struct address_region *regions; // sorted
    size_t count;
    size_t capacity;
    size_t last; // the region that answered last
};

// `path` is what is to be opened: the caller puts the program's own in for an empty one.
void address_space_add(struct address_space *space, uint64_t start, uint64_t end, uint64_t bias,
                       const char *path);

// Adds the executable mappings of /proc/PID/maps that are not known yet. Returns false when the
// list cannot be read: the process is gone, or not ours to look at.
bool address_space_read_maps(struct address_space *space, int pid);

// NULL when no file is known there. The region stays valid until the space changes.
const struct address_region *address_space_find(struct address_space *space, uint64_t ip);

// What a forked process starts with.
void address_space_copy(struct address_space *space, const struct address_space *parent, int pid);

void address_space_clear(struct address_space *space);
