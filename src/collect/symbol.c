// SPDX-License-Identifier: Apache-2.0
#include "collect/symbol.h"

#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/mem.h"
#include "base/text.h"
#include "collect/demangle.h"
#include "collect/operator_name.h"
#include "collect/symbol_table.h"

struct image_names {
    bool is_loaded;
    struct symbol_table symbols;
    struct map known;  // function or symbol address + 1 -> index in the cache's names, + 1
    struct map learnt; // the same
};

struct symbol_cache {
    char *debug_dir;
    struct names names;
    struct image_names *images; // by image_index
    size_t count;
};

struct symbol_cache *symbol_cache_new(const char *debug_dir)
{
    struct symbol_cache *cache = mem_alloc(sizeof *cache);
    cache->debug_dir = mem_copy_text(debug_dir ? debug_dir : "/usr/lib/debug");
    return cache;
}

void symbol_cache_free(struct symbol_cache *cache)
{
    if (!cache) {
        return;
    }
    for (size_t i = 0; i < cache->count; i++) {
        map_clear(&cache->images[i].known);
        map_clear(&cache->images[i].learnt);
        if (cache->images[i].is_loaded) {
            symbol_table_clear(&cache->images[i].symbols);
        }
    }
    free(cache->images);
    names_clear(&cache->names);
    free(cache->debug_dir);
    free(cache);
}

static struct image_names *names_of(struct symbol_cache *cache, const struct image *image)
{
    size_t index = image_index(image);
    if (index >= cache->count) {
        size_t count = index + 16;
        cache->images = mem_resize(cache->images, count * sizeof *cache->images);
        memset(cache->images + cache->count, 0, (count - cache->count) * sizeof *cache->images);
        cache->count = count;
    }
    return &cache->images[index];
}

static void make_name(struct text *text, const struct image *image,
                      const struct symbol_table *table, const struct symbol *symbol, uint64_t start)
{
    struct text raw = {0};
    struct text name = {0};
    if (symbol) {
        symbol_table_name(table, symbol, &raw);
    }
    if (raw.len > 0) {
        demangle(&name, raw.data);
        if (!operator_name(text, name.data ? name.data : "")) {
            text_add(text, name.data ? name.data : "");
        }
    } else {
        text_format(text, "%s+0x%llx", symbol_module(image), (unsigned long long)start);
    }
    text_clear(&raw);
    text_clear(&name);
}

static const char *remember(struct symbol_cache *cache, struct map *map, uint64_t address,
                            const char *name, size_t len)
{
    uint32_t index = names_add(&cache->names, name, len);
    map_put(map, address + 1, (uint64_t)index + 1);
    return cache->names.texts[index];
}

const char *symbol_name(struct symbol_cache *cache, struct image *image, uint64_t address)
{
    struct image_names *names = names_of(cache, image);
    if (!names->is_loaded) {
        names->is_loaded = true;
        symbol_table_load(&names->symbols, image, cache->debug_dir);
    }
    uint64_t function = 0;
    uint64_t end;
    bool has_function = function_table_find(image_functions(image), address, &function, &end);
    const struct symbol *symbol =
        symbol_table_find(&names->symbols, address, has_function ? function : 0);
    uint64_t start = symbol ? symbol->address : has_function ? function : address;
    uint64_t learnt = symbol ? 0 : map_get(&names->learnt, start + 1);
    uint64_t known = learnt ? learnt : map_get(&names->known, start + 1);
    if (known) {
        return cache->names.texts[known - 1];
    }
    struct text text = {0};
    make_name(&text, image, &names->symbols, symbol, start);
    const char *name = remember(cache, &names->known, start, text.data, text.len);
    text_clear(&text);
    return name;
}

void symbol_learn(struct symbol_cache *cache, struct image *image, uint64_t function,
                  const char *name)
{
    remember(cache, &names_of(cache, image)->learnt, function, name, strlen(name));
}

const char *symbol_module(const struct image *image)
{
    const char *path = image_path(image);
    const char *slash = strrchr(path, '/');
    return slash && slash[1] ? slash + 1 : path;
}
