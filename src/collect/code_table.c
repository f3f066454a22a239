// SPDX-License-Identifier: Apache-2.0
#include "collect/code_table.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "collect/python_text.h"

#define GENERATION_MAX 50000u // numbers; there are two generations

// From 3.13 on: of code that the interpreter runs for itself, and hides from all that look at
// frames. It calls itself __init__, in a file __init__.
#define CO_NO_MONITORING_EVENTS 0x2000000u
#define CO_COROUTINE            0x80u
#define CO_ASYNC_GENERATOR      0x200u

struct code_table {
    struct map index;    // content to place + 1, or to a place that is another's or nobody's by now
    struct code **codes; // NULL: a free place
    size_t place_count;
    size_t capacity;
    uint32_t *free_places;
    size_t free_count;
    size_t free_capacity;
};

struct code_table *code_table_new(void)
{
    return mem_alloc(sizeof(struct code_table));
}

static void code_free(struct code *code)
{
    free(code->path);
    free(code->name);
    line_table_clear(&code->lines);
    free(code);
}

void code_table_free(struct code_table *table)
{
    for (size_t i = 0; i < table->place_count; i++) {
        if (table->codes[i]) {
            code_free(table->codes[i]);
        }
    }
    map_clear(&table->index);
    free(table->codes);
    free(table->free_places);
    free(table);
}

size_t code_table_count(const struct code_table *table)
{
    return table->place_count - table->free_count;
}

static struct code *find(const struct code_table *table, uint64_t content)
{
    uint64_t known = map_get(&table->index, content);
    struct code *code = known ? table->codes[known - 1] : NULL;
    return code && code->content == content ? code : NULL;
}

// Contents that went leave their entries behind.
static void clean_index(struct code_table *table)
{
    if (table->index.count < 1024 || table->index.count < 2 * code_table_count(table)) {
        return;
    }
    map_clear(&table->index);
    for (size_t i = 0; i < table->place_count; i++) {
        if (table->codes[i]) {
            map_put(&table->index, table->codes[i]->content, i + 1);
        }
    }
}

static void add(struct code_table *table, struct code *code)
{
    if (table->free_count > 0) {
        code->place = table->free_places[--table->free_count];
    } else {
        table->codes =
            mem_grow(table->codes, table->place_count, &table->capacity, sizeof(struct code *));
        code->place = (uint32_t)table->place_count++;
    }
    table->codes[code->place] = code;
    clean_index(table);
    map_put(&table->index, code->content, (uint64_t)code->place + 1);
}

static void release(struct code_table *table, struct code *code)
{
    if (--code->user_count > 0) {
        return;
    }
    table->free_places = mem_grow(table->free_places, table->free_count, &table->free_capacity,
                                  sizeof *table->free_places);
    table->free_places[table->free_count++] = code->place;
    table->codes[code->place] = NULL;
    code_free(code);
}

// Relative names are the program's, seen from where it was when it started.
static char *absolute_path(const char *directory, char *path)
{
    if (path[0] == '/' || path[0] == '<' || path[0] == '\0' || !directory) {
        return path;
    }
    const char *relative = strncmp(path, "./", 2) == 0 ? path + 2 : path;
    struct text whole = {0};
    text_format(&whole, "%s/%s", directory, relative);
    free(path);
    return whole.data;
}

static uint64_t hash(uint64_t key, const void *bytes, size_t len)
{
    const uint8_t *at = bytes;
    for (size_t i = 0; i < len; i++) {
        key = (key ^ at[i]) * 0x100000001b3u;
    }
    return map_key(key, len);
}

static uint64_t content_of(const struct record_code *sent, const struct code_view *view)
{
    const char *directory = view->directory ? view->directory : "";
    uint64_t lengths = map_key(map_key(sent->filename_len, sent->name_len), sent->line_table_len);
    uint64_t form = (uint64_t)sent->filename_width << 24 | (uint64_t)sent->name_width << 16 |
                    (uint64_t)sent->name_is_qualified << 8 | (unsigned)view->python_minor;
    form |= (uint64_t)(sent->flags & CO_NO_MONITORING_EVENTS) << 32;
    uint64_t key = map_key(map_key(lengths, form), (uint64_t)sent->first_line);
    key = hash(key, directory, strlen(directory));
    return hash(key, sent + 1, (size_t)sent->filename_len + sent->name_len + sent->line_table_len);
}

static struct code *decode(const struct record_code *sent, const struct code_view *view)
{
    const uint8_t *bytes = (const uint8_t *)(sent + 1);
    const uint8_t *name = bytes + sent->filename_len;
    struct code *code = mem_alloc(sizeof *code);
    code->path = absolute_path(
        view->directory, python_text_decode_path(bytes, sent->filename_len, sent->filename_width));
    code->name = python_text_decode(name, sent->name_len, sent->name_width);
    code->first_line = sent->first_line;
    code->is_qualified = sent->name_is_qualified;
    code->is_shim = sent->flags & CO_NO_MONITORING_EVENTS;
    code->is_coroutine = sent->flags & (CO_COROUTINE | CO_ASYNC_GENERATOR);
    code->is_ours = !code->is_shim && view->is_ours(view->context, code->path);
    uint64_t names = hash(hash(0, code->path, strlen(code->path)), code->name, strlen(code->name));
    code->key = map_key(names, (uint64_t)code->first_line);
    line_table_decode(&code->lines, view->python_minor, sent->first_line, name + sent->name_len,
                      sent->line_table_len);
    return code;
}

static void clear_numbers(struct code_set *set, struct map *numbers)
{
    for (size_t i = 0; i < numbers->capacity; i++) {
        if (numbers->values[i] != 0) {
            release(set->table, (struct code *)(uintptr_t)numbers->values[i]);
        }
    }
    map_clear(numbers);
}

static void put(struct code_set *set, uint32_t code_id, struct code *code)
{
    if (set->recent.count >= GENERATION_MAX) {
        clear_numbers(set, &set->older);
        set->older = set->recent;
        set->recent = (struct map){0};
    }
    code->user_count++;
    map_put(&set->recent, (uint64_t)code_id + 1, (uint64_t)(uintptr_t)code);
}

const struct code *code_set_get(struct code_set *set, uint32_t code_id)
{
    uint64_t found = map_get(&set->recent, (uint64_t)code_id + 1);
    if (found == 0 && set->older.count > 0) {
        found = map_get(&set->older, (uint64_t)code_id + 1);
        if (found != 0 && set->recent.count < GENERATION_MAX) { // it is in use: keep it
            put(set, code_id, (struct code *)(uintptr_t)found);
        }
    }
    return (const struct code *)(uintptr_t)found;
}

bool code_set_take(struct code_set *set, const struct record_code *sent, size_t len,
                   const struct code_view *view)
{
    if (len < sizeof *sent) {
        return false;
    }
    uint64_t parts = (uint64_t)sent->filename_len + sent->name_len + sent->line_table_len;
    bool has_widths =
        python_text_is_width(sent->filename_width) && python_text_is_width(sent->name_width);
    if (parts > len - sizeof *sent || !has_widths || code_set_get(set, sent->code_id)) {
        return false;
    }
    uint64_t content = content_of(sent, view);
    struct code *code = find(set->table, content);
    if (!code) {
        code = decode(sent, view);
        code->content = content;
        add(set->table, code);
    }
    put(set, sent->code_id, code);
    return true;
}

void code_set_clear(struct code_set *set)
{
    clear_numbers(set, &set->recent);
    clear_numbers(set, &set->older);
}
