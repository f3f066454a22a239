// SPDX-License-Identifier: Apache-2.0
#include "render/leaks.h"

#include <stdlib.h>

#include "base/mem.h"
#include "render/sentence.h"

#define LISTED_MAX 20

static int compare_velocities(const void *left, const void *right)
{
    const struct profile_line *a = *(const struct profile_line *const *)left;
    const struct profile_line *b = *(const struct profile_line *const *)right;
    if (a->leak.velocity_mb_s != b->leak.velocity_mb_s) {
        return a->leak.velocity_mb_s > b->leak.velocity_mb_s ? -1 : 1;
    }
    return a->number - b->number;
}

bool leaks_exist(const struct profile_file *file)
{
    for (size_t i = 0; i < file->line_count; i++) {
        if (file->lines[i].leak.likelihood > 0) {
            return true;
        }
    }
    return false;
}

static void add_sentence(struct canvas *canvas, const struct profile_line *line)
{
    struct text text = {0};
    text_format(&text, "Possible memory leak identified at line %d ", line->number);
    sentence_leak(&text, &line->leak);
    paint_paragraph(canvas, PAINT_HOT, text.data);
    text_clear(&text);
}

void leaks_render(struct canvas *canvas, const struct profile_file *file)
{
    const struct profile_line **leaks = mem_alloc((file->line_count + 1) * sizeof(void *));
    size_t count = 0;
    for (size_t i = 0; i < file->line_count; i++) {
        if (file->lines[i].leak.likelihood > 0) {
            leaks[count++] = &file->lines[i];
        }
    }
    qsort(leaks, count, sizeof(void *), compare_velocities);
    for (size_t i = 0; i < count && i < LISTED_MAX; i++) {
        add_sentence(canvas, leaks[i]);
    }
    if (count > LISTED_MAX) {
        struct text text = {0};
        text_format(&text, "and at %zu more", count - LISTED_MAX);
        paint_paragraph(canvas, PAINT_DIM, text.data);
        text_clear(&text);
    }
    free(leaks);
}
