// SPDX-License-Identifier: Apache-2.0
#pragma once

// Two hash tables: from a number to a number, and from a string to a number. Numbers stored must
// not be 0, which means "absent". Zero-initialised is empty.

#include <stddef.h>
#include <stdint.h>

struct map {
    uint64_t *keys;
    uint64_t *values; // 0: free slot
    size_t count;
    size_t capacity;
};

uint64_t map_get(const struct map *map, uint64_t key);
void map_put(struct map *map, uint64_t key, uint64_t value);
void map_clear(struct map *map);

// One key from two; chain it for more. The order counts.
uint64_t map_key(uint64_t first, uint64_t second);
uint64_t map_key_of_text(const char *text);

// Strings are copied; each has one index for ever, from 0 up.
struct names {
    char **texts;
    size_t count;
    size_t capacity;
    uint32_t *slots; // index + 1
    size_t slot_count;
};

uint32_t names_add(struct names *names, const char *text, size_t len);
void names_clear(struct names *names);
