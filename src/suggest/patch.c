// SPDX-License-Identifier: Apache-2.0
#include "suggest/patch.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

#define CONTEXT_LINES 3

static const char *relative_to(const char *path, const char *directory)
{
    size_t len = directory ? strlen(directory) : 0;
    while (len > 0 && directory[len - 1] == '/') {
        len--;
    }
    if (len > 0 && strncmp(path, directory, len) == 0 && path[len] == '/') {
        return path + len + 1;
    }
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

// As git writes them: a name with odd characters in quotes, those as octal numbers.
static void add_name(struct text *out, const char *head, const char *side, const char *name)
{
    bool is_odd = false;
    for (const char *at = name; *at; at++) {
        is_odd |= (unsigned char)*at < 0x20 || *at == 0x7f || *at == '"' || *at == '\\';
    }
    text_format(out, "%s %s%s", head, is_odd ? "\"" : "", side);
    for (const char *at = name; *at; at++) {
        if ((unsigned char)*at < 0x20 || *at == 0x7f) {
            text_format(out, "\\%03o", (unsigned char)*at);
        } else {
            text_format(out, "%s%c", *at == '"' || *at == '\\' ? "\\" : "", *at);
        }
    }
    text_add(out, is_odd ? "\"\n" : "\n");
}

static void add_line(struct text *out, char mark, const char *text, size_t len)
{
    text_add_char(out, mark);
    text_add_bytes(out, text, len);
    if (len == 0 || text[len - 1] != '\n') {
        text_add(out, "\n\\ No newline at end of file\n");
    }
}

static void add_context(struct text *out, const struct source *source, int first, int last)
{
    for (int line = first; line <= last; line++) {
        add_line(out, ' ', source->lines[line - 1].text, source->lines[line - 1].len);
    }
}

static bool is_same_file(const struct diff *one, const struct diff *other)
{
    return strcmp(one->region->file->path, other->region->file->path) == 0;
}

// Neighbours share their context, and so a hunk.
static size_t hunk_len(const struct diff *const *diffs, size_t count)
{
    size_t len = 1;
    while (len < count && is_same_file(diffs[0], diffs[len]) &&
           diffs[len]->region->first - diffs[len - 1]->region->last - 1 <= 2 * CONTEXT_LINES) {
        len++;
    }
    return len;
}

static int growth(const struct diff *diff)
{
    return (int)diff->code.line_count - (diff->region->last - diff->region->first + 1);
}

static void add_rows(struct text *out, const struct diff *diff)
{
    static const char marks[] = {[DIFF_SAME] = ' ', [DIFF_REMOVED] = '-', [DIFF_ADDED] = '+'};
    for (size_t i = 0; i < diff->count; i++) {
        const struct diff_row *row = &diff->rows[i];
        add_line(out, marks[row->kind], row->text, row->len);
    }
}

// `shift` is how many lines the hunks before it have added. Returns it with those of this one.
static int add_hunk(struct text *out, const struct diff *const *diffs, size_t count, int shift)
{
    const struct source *source = &diffs[0]->region->source;
    int last = diffs[count - 1]->region->last + CONTEXT_LINES;
    int next = diffs[0]->region->first - CONTEXT_LINES;
    int grown = shift;
    next = next < 1 ? 1 : next;
    last = last < (int)source->line_count ? last : (int)source->line_count;
    for (size_t i = 0; i < count; i++) {
        grown += growth(diffs[i]);
    }
    text_format(out, "@@ -%d,%d +%d,%d @@\n", next, last - next + 1, next + shift,
                last - next + 1 + grown - shift);
    for (size_t i = 0; i < count; i++) {
        add_context(out, source, next, diffs[i]->region->first - 1);
        add_rows(out, diffs[i]);
        next = diffs[i]->region->last + 1;
    }
    add_context(out, source, next, last);
    return grown;
}

static int compare(const void *left, const void *right)
{
    const struct region *a = (*(const struct diff *const *)left)->region;
    const struct region *b = (*(const struct diff *const *)right)->region;
    int order = strcmp(a->file->path, b->file->path);
    return order ? order : (a->first > b->first) - (a->first < b->first);
}

void patch_add(struct text *out, const struct diff *diffs, size_t count, const char *directory)
{
    const struct diff **changes = mem_alloc((count + 1) * sizeof(*changes));
    size_t change_count = 0;
    int shift = 0;
    for (size_t i = 0; i < count; i++) {
        if (diffs[i].change_count > 0) {
            changes[change_count++] = &diffs[i];
        }
    }
    qsort(changes, change_count, sizeof(*changes), compare);
    for (size_t i = 0; i < change_count;) {
        if (i == 0 || !is_same_file(changes[i - 1], changes[i])) {
            const char *name = relative_to(changes[i]->region->file->path, directory);
            add_name(out, "---", "a/", name);
            add_name(out, "+++", "b/", name);
            shift = 0;
        }
        size_t len = hunk_len(&changes[i], change_count - i);
        shift = add_hunk(out, &changes[i], len, shift);
        i += len;
    }
    free(changes);
}
