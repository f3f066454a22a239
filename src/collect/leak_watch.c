// SPDX-License-Identifier: Apache-2.0
#include "collect/leak_watch.h"

#include <stdlib.h>

#include "base/mem.h"

struct leak_book *leak_watch_book(struct leak_watch *watch, double time_s)
{
    if (!watch->book) {
        watch->book = mem_alloc(sizeof *watch->book);
        leak_open(watch->book, time_s);
    }
    return watch->book;
}

struct life_table *leak_watch_line(struct leak_watch *watch, uint32_t line)
{
    uint64_t known = map_get(&watch->index, line);
    if (known != 0) {
        return &watch->lines[known - 1]->life;
    }
    if (watch->count == LEAK_WATCH_LINES) {
        return NULL;
    }
    watch->lines = mem_grow(watch->lines, watch->count, &watch->capacity, sizeof *watch->lines);
    struct leak_line *made = mem_alloc(sizeof *made);
    made->number = line;
    watch->lines[watch->count] = made;
    map_put(&watch->index, line, ++watch->count);
    return &made->life;
}

void leak_watch_judge(struct leak_watch *watch, double now_s,
                      void (*found)(void *context, uint32_t line, struct leak_verdict verdict),
                      void *context)
{
    for (size_t i = 0; i < watch->count; i++) {
        struct leak_line *line = watch->lines[i];
        struct leak_verdict verdict = leak_verdict(watch->book, &line->life, now_s);
        if (verdict.is_leak) {
            found(context, line->number, verdict);
        }
    }
}

void leak_watch_clear(struct leak_watch *watch)
{
    for (size_t i = 0; i < watch->count; i++) {
        free(watch->lines[i]);
    }
    free(watch->lines);
    free(watch->book);
    map_clear(&watch->index);
    *watch = (struct leak_watch){0};
}
