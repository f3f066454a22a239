// SPDX-License-Identifier: Apache-2.0
#include "collect/address_space.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

#define REGION_MAX 65536 // more than a process may have mappings by default

// The first region that ends after the address.
static size_t lower_bound(const struct address_space *space, uint64_t address)
{
    size_t low = 0;
    size_t high = space->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (space->regions[middle].end <= address) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

static void insert(struct address_space *space, const struct address_region *region)
{
    size_t first = lower_bound(space, region->start);
    size_t after = first;
    while (after < space->count && space->regions[after].start < region->end) {
        after++;
    }
    size_t count = space->count - (after - first) + 1;
    if (count > REGION_MAX) {
        return;
    }
    if (count > space->count) {
        space->regions = mem_grow(space->regions, space->count, &space->capacity, sizeof *region);
    }
    memmove(space->regions + first + 1, space->regions + after,
            (space->count - after) * sizeof *region);
    space->regions[first] = *region;
    space->count = count;
    space->last = 0;
}

void address_space_add(struct address_space *space, uint64_t start, uint64_t end, uint64_t bias,
                       const char *path)
{
    if (start >= end) {
        return;
    }
    struct image *image = image_cache_get(space->images, path, space->pid);
    size_t at = lower_bound(space, start);
    if (at < space->count) {
        const struct address_region *known = &space->regions[at];
        if (known->start == start && known->end == end && known->image == image &&
            known->has_bias && known->bias == bias) {
            return;
        }
    }
    struct address_region region = {
        .start = start, .end = end, .bias = bias, .has_bias = true, .image = image};
    insert(space, &region);
}

// A mapping that lies inside a module reported before is that module's.
static void add_mapping(struct address_space *space, uint64_t start, uint64_t end, uint64_t offset,
                        const char *path)
{
    struct image *image = image_cache_get(space->images, path, space->pid);
    size_t at = lower_bound(space, start);
    if (at < space->count && space->regions[at].start <= start && space->regions[at].end >= end &&
        space->regions[at].image == image) {
        return;
    }
    struct address_region region = {.start = start, .end = end, .offset = offset, .image = image};
    insert(space, &region);
}

static void add_maps_line(struct address_space *space, char *line)
{
    uint64_t start;
    uint64_t end;
    uint64_t offset;
    char permissions[5];
    int path_at = 0;
    line[strcspn(line, "\n")] = '\0';
    int fields = sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s %" SCNx64 " %*s %*s %n", &start, &end,
                        permissions, &offset, &path_at);
    if (fields < 4 || path_at == 0 || start >= end || strlen(permissions) < 3 ||
        permissions[2] != 'x') {
        return;
    }
    const char *path = line + path_at;
    if (path[0] == '/' || strcmp(path, IMAGE_VDSO_PATH) == 0) {
        add_mapping(space, start, end, offset, path);
    }
}

bool address_space_read_maps(struct address_space *space, int pid)
{
    char name[64];
    snprintf(name, sizeof name, "/proc/%d/maps", pid);
    FILE *file = fopen(name, "re");
    if (!file) {
        return false;
    }
    char *line = NULL;
    size_t capacity = 0;
    while (getline(&line, &capacity, file) > 0) {
        add_maps_line(space, line);
    }
    free(line);
    fclose(file);
    return true;
}

static void find_bias(struct address_region *region)
{
    uint64_t address;
    if (image_address_of_offset(region->image, region->offset, &address)) {
        region->bias = region->start - address;
    } else {
        region->bias = region->start - region->offset; // offsets in the file, for want of better
    }
    region->has_bias = true;
}

const struct address_region *address_space_find(struct address_space *space, uint64_t ip)
{
    size_t at = space->last;
    if (at >= space->count || ip < space->regions[at].start || ip >= space->regions[at].end) {
        at = lower_bound(space, ip);
        if (at == space->count || ip < space->regions[at].start) {
            return NULL;
        }
        space->last = at;
    }
    struct address_region *region = &space->regions[at];
    if (!region->has_bias) {
        find_bias(region);
    }
    return region;
}

void address_space_copy(struct address_space *space, const struct address_space *parent, int pid)
{
    *space = (struct address_space){.images = parent->images, .pid = pid};
    if (parent->count > 0) {
        space->regions = mem_resize(NULL, parent->count * sizeof *space->regions);
        memcpy(space->regions, parent->regions, parent->count * sizeof *space->regions);
        space->count = space->capacity = parent->count;
    }
}

void address_space_clear(struct address_space *space)
{
    free(space->regions);
    *space = (struct address_space){.images = space->images};
}
