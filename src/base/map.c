// SPDX-License-Identifier: Apache-2.0
#include "base/map.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

static uint64_t mix(uint64_t key)
{
    key ^= key >> 32;
    key *= 0xd6e8feb86659fd93ull;
    key ^= key >> 32;
    key *= 0xd6e8feb86659fd93ull;
    return key ^ key >> 32;
}

uint64_t map_key(uint64_t first, uint64_t second)
{
    return mix(mix(first + 0x9e3779b97f4a7c15ull) + second);
}

static size_t map_slot(const struct map *map, uint64_t key)
{
    size_t slot = mix(key) & (map->capacity - 1);
    while (map->values[slot] != 0 && map->keys[slot] != key) {
        slot = (slot + 1) & (map->capacity - 1);
    }
    return slot;
}

static void map_expand(struct map *map)
{
    struct map old = *map;
    map->capacity = old.capacity ? old.capacity * 2 : 64;
    map->keys = mem_alloc(map->capacity * sizeof *map->keys);
    map->values = mem_alloc(map->capacity * sizeof *map->values);
    for (size_t i = 0; i < old.capacity; i++) {
        if (old.values[i] != 0) {
            size_t slot = map_slot(map, old.keys[i]);
            map->keys[slot] = old.keys[i];
            map->values[slot] = old.values[i];
        }
    }
    free(old.keys);
    free(old.values);
}

uint64_t map_get(const struct map *map, uint64_t key)
{
    return map->capacity == 0 ? 0 : map->values[map_slot(map, key)];
}

void map_put(struct map *map, uint64_t key, uint64_t value)
{
    if (map->count * 4 >= map->capacity * 3) {
        map_expand(map);
    }
    size_t slot = map_slot(map, key);
    if (map->values[slot] == 0) {
        map->count++;
    }
    map->keys[slot] = key;
    map->values[slot] = value;
}

void map_clear(struct map *map)
{
    free(map->keys);
    free(map->values);
    *map = (struct map){0};
}

static uint64_t hash_text(const char *text, size_t len)
{
    uint64_t hash = 0xcbf29ce484222325ull;
    for (size_t i = 0; i < len; i++) {
        hash = (hash ^ (unsigned char)text[i]) * 0x100000001b3ull;
    }
    return mix(hash);
}

uint64_t map_key_of_text(const char *text)
{
    return hash_text(text, strlen(text));
}

static size_t names_slot(const struct names *names, const char *text, size_t len)
{
    size_t slot = hash_text(text, len) & (names->slot_count - 1);
    while (names->slots[slot] != 0) {
        const char *known = names->texts[names->slots[slot] - 1];
        if (strlen(known) == len && memcmp(known, text, len) == 0) {
            break;
        }
        slot = (slot + 1) & (names->slot_count - 1);
    }
    return slot;
}

static void names_expand(struct names *names)
{
    free(names->slots);
    names->slot_count = names->slot_count ? names->slot_count * 2 : 64;
    names->slots = mem_alloc(names->slot_count * sizeof *names->slots);
    for (size_t i = 0; i < names->count; i++) {
        size_t slot = names_slot(names, names->texts[i], strlen(names->texts[i]));
        names->slots[slot] = (uint32_t)i + 1;
    }
}

uint32_t names_add(struct names *names, const char *text, size_t len)
{
    len = strnlen(text, len); // a name ends at its first NUL
    if (names->count * 4 >= names->slot_count * 3) {
        names_expand(names);
    }
    size_t slot = names_slot(names, text, len);
    if (names->slots[slot] == 0) {
        names->texts = mem_grow(names->texts, names->count, &names->capacity, sizeof(char *));
        names->texts[names->count++] = mem_copy_bytes(text, len);
        names->slots[slot] = (uint32_t)names->count;
    }
    return names->slots[slot] - 1;
}

void names_clear(struct names *names)
{
    for (size_t i = 0; i < names->count; i++) {
        free(names->texts[i]);
    }
    free(names->texts);
    free(names->slots);
    *names = (struct names){0};
}
