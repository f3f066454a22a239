// SPDX-License-Identifier: Apache-2.0
#include "suggest/diff.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

#define COMPARED_LINES 2000 // a longer proposal replaces the region as a whole

static size_t visible_len(const struct source_line *line)
{
    size_t len = line->len;
    while (len > 0 && strchr("\r\n", line->text[len - 1])) {
        len--;
    }
    return len;
}

static bool is_same(const struct source_line *one, const struct source_line *other)
{
    size_t len = visible_len(one);
    return len == visible_len(other) && memcmp(one->text, other->text, len) == 0;
}

struct sides {
    const struct source_line *old;
    size_t old_count;
    const struct source_line *new;
    size_t new_count;
};

// common[i * (new_count + 1) + j]: how many lines the rests from i and from j have in common.
static uint32_t *count_common(const struct sides *sides)
{
    size_t width = sides->new_count + 1;
    uint32_t *common = mem_alloc((sides->old_count + 1) * width * sizeof *common);
    if (sides->new_count > COMPARED_LINES) {
        return common;
    }
    for (size_t i = sides->old_count; i-- > 0;) {
        for (size_t j = sides->new_count; j-- > 0;) {
            uint32_t *cell = &common[i * width + j];
            uint32_t below = common[(i + 1) * width + j];
            uint32_t right = common[i * width + j + 1];
            *cell = is_same(&sides->old[i], &sides->new[j]) ? common[(i + 1) * width + j + 1] + 1
                    : below > right                         ? below
                                                            : right;
        }
    }
    return common;
}

static void add_row(struct diff *diff, enum diff_kind kind, size_t old, size_t new)
{
    const struct region *region = diff->region;
    const struct source_line *line = kind == DIFF_ADDED
                                         ? &diff->code.lines[new]
                                         : &region->source.lines[(size_t)region->first - 1 + old];
    diff->rows[diff->count++] = (struct diff_row){
        .kind = kind,
        .old_line = kind == DIFF_ADDED ? 0 : region->first + (int)old,
        .new_line = kind == DIFF_REMOVED ? 0 : region->first + (int)new,
        .text = line->text,
        .len = line->len,
    };
    diff->change_count += kind != DIFF_SAME;
}

void diff_make(struct diff *diff, const struct region *region, const char *code, size_t len)
{
    *diff = (struct diff){.region = region};
    source_from_text(&diff->code, code, len);
    const struct sides sides = {
        .old = &region->source.lines[region->first - 1],
        .old_count = (size_t)(region->last - region->first + 1),
        .new = diff->code.lines,
        .new_count = diff->code.line_count,
    };
    uint32_t *common = count_common(&sides);
    size_t width = sides.new_count + 1;
    size_t i = 0;
    size_t j = 0;
    diff->rows = mem_alloc((sides.old_count + sides.new_count + 1) * sizeof *diff->rows);
    while (i < sides.old_count || j < sides.new_count) {
        bool has_both = i < sides.old_count && j < sides.new_count;
        if (has_both && sides.new_count <= COMPARED_LINES &&
            is_same(&sides.old[i], &sides.new[j])) {
            add_row(diff, DIFF_SAME, i++, j++);
        } else if (i < sides.old_count &&
                   (!has_both || common[(i + 1) * width + j] >= common[i * width + j + 1])) {
            add_row(diff, DIFF_REMOVED, i++, j);
        } else {
            add_row(diff, DIFF_ADDED, i, j++);
        }
    }
    free(common);
}

void diff_clear(struct diff *diff)
{
    source_clear(&diff->code);
    free(diff->rows);
    *diff = (struct diff){0};
}
