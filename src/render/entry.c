// SPDX-License-Identifier: Apache-2.0
#include "render/entry.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "profile/percent.h"
#include "profile/utf8.h"
#include "render/viewer_form.h"

const char *const entry_value_names[ENTRY_VALUES] = {
    "allocated_mb", "at_end_mb",     "at_peak_mb",  "await_s",     "copied_mb",
    "cpu_s",        "error_percent", "gpu_peak_mb", "gpu_percent", "idle_s",
    "native_s",     "peak_mb",       "python_s",    "system_s",    "wait_s",
};

bool entry_has(const struct profile *profile, size_t value)
{
    const char *name = entry_value_names[value];
    bool is_gpu = strncmp(name, "gpu_", 4) == 0;
    bool is_await = strcmp(name, "await_s") == 0;
    return (!is_gpu || profile->gpus.is_used) && (!is_await || profile->await_s > 0);
}

void entry_values(const struct profile *profile, const struct profile_line *line,
                  double values[ENTRY_VALUES])
{
    const struct profile_memory *memory = &line->memory;
    const struct profile_times *times = &line->times;
    const double all[ENTRY_VALUES] = {
        memory->allocated_mb,
        memory->at_end_mb,
        memory->at_peak_mb,
        line->async.await_s,
        memory->copied_mb,
        profile_times_cpu_s(times),
        percent_of(profile, times).error,
        line->gpu.peak_mb,
        profile_gpu_percent(&line->gpu),
        profile->has_virtual_time ? 0 : times->idle_s,
        times->native_s,
        memory->peak_mb,
        times->python_s,
        times->system_s,
        profile_times_wait_s(times),
    };
    memcpy(values, all, sizeof all);
}

// All lines as those of one file, so that one order holds for all. Files come by their time.
static struct entry_list entries_of(const struct profile *profile, enum order_key key, size_t max)
{
    struct entry_list entries = {0};
    size_t *files = viewer_form_files(profile);
    for (size_t i = 0; i < profile->file_count; i++) {
        const struct profile_file *file = &profile->files[files[i]];
        size_t count;
        const struct profile_line **lines =
            order_lines(file, key, key == ORDER_line ? max : 0, &count);
        for (size_t j = 0; j < count; j++) {
            entries.list =
                mem_grow(entries.list, entries.count, &entries.capacity, sizeof *entries.list);
            entries.list[entries.count++] = (struct entry){file, lines[j]};
        }
        free(lines);
    }
    free(files);
    return entries;
}

struct ranked {
    struct entry entry;
    double weight;
    size_t place;
};

static int compare_ranks(const void *left, const void *right)
{
    const struct ranked *a = left;
    const struct ranked *b = right;
    if (a->weight != b->weight) {
        return a->weight > b->weight ? -1 : 1;
    }
    return (a->place > b->place) - (a->place < b->place);
}

struct entry_list entry_list_of(const struct profile *profile, enum order_key key, size_t max)
{
    struct entry_list entries = entries_of(profile, key, max);
    if (key != ORDER_line) {
        struct ranked *ranks = mem_alloc((entries.count + 1) * sizeof *ranks);
        for (size_t i = 0; i < entries.count; i++) {
            double weight = order_weight(entries.list[i].line, key);
            ranks[i] = (struct ranked){entries.list[i], weight, i};
        }
        qsort(ranks, entries.count, sizeof *ranks, compare_ranks);
        for (size_t i = 0; i < entries.count; i++) {
            entries.list[i] = ranks[i].entry;
        }
        free(ranks);
    }
    if (max > 0 && max < entries.count) {
        entries.count = max;
    }
    return entries;
}

void entry_list_clear(struct entry_list *entries)
{
    free(entries->list);
    *entries = (struct entry_list){0};
}

void entry_add_plain(struct text *out, const char *text, size_t len)
{
    for (size_t at = 0; at < len;) {
        uint32_t point;
        char bytes[4];
        at += utf8_read(text + at, len - at, &point);
        text_add_bytes(out, bytes, utf8_write(utf8_is_control(point) ? ' ' : point, bytes));
    }
}

static const struct source *source_of(struct entry_reader *reader, const struct profile_file *file)
{
    const struct profile *profile = reader->profile;
    size_t index = (size_t)(file - profile->files);
    if (!reader->sources) {
        reader->sources = mem_alloc(profile->file_count * sizeof *reader->sources);
    }
    if (!reader->sources[index].text) {
        const char *text = file->source ? file->source : "";
        source_from_text(&reader->sources[index], text, strlen(text));
    }
    return &reader->sources[index];
}

void entry_add_source(struct text *out, struct entry_reader *reader, const struct entry *entry,
                      size_t max)
{
    const struct source *source = source_of(reader, entry->file);
    size_t index = (size_t)entry->line->number - 1;
    if (index < source->line_count) {
        const struct source_line *line = &source->lines[index];
        size_t len = line->len;
        while (len > 0 && strchr("\r\n", line->text[len - 1])) {
            len--;
        }
        entry_add_plain(out, line->text, max > 0 && len > max ? max : len);
    }
}

void entry_reader_clear(struct entry_reader *reader)
{
    for (size_t i = 0; reader->sources && i < reader->profile->file_count; i++) {
        source_clear(&reader->sources[i]);
    }
    free(reader->sources);
    reader->sources = NULL;
}
