// SPDX-License-Identifier: Apache-2.0
#include "suggest/region.h"

#include <math.h>
#include <string.h>

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static size_t visible_len(const struct source_line *line)
{
    size_t len = line->len;
    while (len > 0 && (line->text[len - 1] == '\n' || line->text[len - 1] == '\r')) {
        len--;
    }
    return len;
}

static bool has_same_lines(const struct source *one, const struct source *other)
{
    if (one->line_count != other->line_count) {
        return false;
    }
    for (size_t i = 0; i < one->line_count; i++) {
        size_t len = visible_len(&one->lines[i]);
        if (len != visible_len(&other->lines[i]) ||
            memcmp(one->lines[i].text, other->lines[i].text, len) != 0) {
            return false;
        }
    }
    return true;
}

// A profile has lines without their ends. The file on disk, if it still is the same, has them, and
// a patch must.
static void read_source(struct region *region)
{
    struct source on_disk;
    const char *text = region->file->source ? region->file->source : "";
    source_from_text(&region->source, text, strlen(text));
    if (source_from_path(&on_disk, region->file->path) &&
        has_same_lines(&on_disk, &region->source)) {
        source_clear(&region->source);
        region->source = on_disk;
    } else {
        source_clear(&on_disk);
    }
}

struct outline_range region_extent(const struct outline_place *place, bool is_line)
{
    int count = place->region.last - place->region.first + 1;
    bool is_wide = !is_line && count > 1 && count <= REGION_LINES_MAX;
    return is_wide ? place->region : place->statement;
}

static void widen(struct region *region, bool is_line)
{
    struct outline *outline = outline_new(&region->source);
    struct outline_place place = outline_find(outline, region->line);
    struct outline_range extent = region_extent(&place, is_line);
    region->first = extent.first;
    region->last = extent.last;
    region->function_first = place.function.first;
    region->function_last = place.function.last;
    outline_free(outline);
}

static void add_line(struct region *region, const struct profile_line *line)
{
    profile_times_add(&region->times, &line->times);
    profile_memory_add(&region->memory, &line->memory);
    profile_async_add(&region->async, &line->async);
    profile_gpu_add(&region->gpu, &line->gpu);
}

static void sum_up(struct region *region, const struct profile *profile)
{
    for (size_t i = 0; i < region->file->line_count; i++) {
        const struct profile_line *line = &region->file->lines[i];
        if (line->number >= region->first && line->number <= region->last) {
            add_line(region, line);
        }
    }
    region->stake = stake_of(profile, &region->times, &region->memory);
}

static bool is_blank(const struct source_line *line)
{
    for (size_t i = 0; i < line->len; i++) {
        if (!strchr(" \t\r\n\f", line->text[i])) {
            return false;
        }
    }
    return true;
}

static bool refuse_blank(const struct region *region, struct error *err)
{
    return error_set(err,
                     "%s:%d: the profile has no source text of this line, so there is nothing to "
                     "propose for",
                     base_name(region->file->path), region->line);
}

static bool check(const struct region *region, struct error *err)
{
    const char *name = base_name(region->file->path);
    size_t bytes = 0;
    bool has_text = false;
    for (int line = region->first; line <= region->last; line++) {
        const struct source_line *text = &region->source.lines[line - 1];
        bytes += text->len;
        has_text |= !is_blank(text);
    }
    if (!has_text) {
        return refuse_blank(region, err);
    }
    if (region->last - region->first + 1 > REGION_LINES_MAX || bytes > REGION_BYTES_MAX) {
        return error_set(err, "%s:%d: more than %d lines or %d kB of source, too much to send",
                         name, region->line, REGION_LINES_MAX, REGION_BYTES_MAX / 1024);
    }
    if (fmax(region->stake.time, stake_memory(&region->stake)) < STAKE_LEAST) {
        return error_set(err,
                         "%s:%d: less than 1 %% of the time and of the memory is at stake here; "
                         "leave out --line to see where most is",
                         name, region->line);
    }
    return true;
}

bool region_find(struct region *region, const struct profile *profile,
                 const struct profile_file *file, int line, bool is_line, struct error *err)
{
    *region = (struct region){.file = file, .line = line};
    read_source(region);
    if (line < 1 || (size_t)line > region->source.line_count) {
        refuse_blank(region, err);
        region_clear(region);
        return false;
    }
    widen(region, is_line);
    sum_up(region, profile);
    if (!check(region, err)) {
        region_clear(region);
        return false;
    }
    return true;
}

void region_clear(struct region *region)
{
    source_clear(&region->source);
    profile_memory_clear(&region->memory);
    profile_async_clear(&region->async);
    *region = (struct region){0};
}
