// SPDX-License-Identifier: Apache-2.0
#include "profile/load_file.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "profile/async_list.h"
#include "profile/field.h"
#include "profile/gpu_list.h"
#include "profile/leak_list.h"
#include "profile/load_memory.h"

#define NORMAL_QUANTILE 1.96
#define GAP_LINES_MAX   100000 // in all files, between the lines that are listed

struct loader {
    struct profile *profile;
    const struct squeezed *squeezed;
    double total_s;
    int gap_budget; // a few bytes of JSON must not ask for gigabytes of empty lines
};

struct line_loader {
    struct loader *loader;
    struct profile_file *file;
    struct text source;
    int next; // line number
};

static double share_s(const struct loader *loader, const json_t *object, const char *key)
{
    return fmin(100, field_real(object, key)) / 100 * loader->total_s;
}

static void load_shares(const struct loader *loader, const json_t *object,
                        struct profile_times *times)
{
    times->python_s = share_s(loader, object, "n_cpu_percent_python");
    times->native_s = share_s(loader, object, "n_cpu_percent_c");
    times->system_s = share_s(loader, object, "n_sys_percent");
}

static void load_seconds(const struct loader *loader, const json_t *object,
                         struct profile_times *times)
{
    times->python_s = field_real(object, "cpu_python_s");
    times->native_s = field_real(object, "cpu_native_s");
    times->system_s = field_real(object, "cpu_system_s");
    double idle_s = share_s(loader, object, "n_sys_percent") - times->system_s;
    bool is_rounding = idle_s < 1e-7 * loader->total_s;
    times->idle_s = is_rounding ? 0 : idle_s;
}

static struct profile_times load_times(const struct loader *loader, const json_t *object)
{
    struct profile_times times = {0};
    if (loader->profile->format_version == 0) {
        load_shares(loader, object, &times);
    } else {
        load_seconds(loader, object, &times);
    }
    const json_t *waits = json_object_get(object, "wait_s");
    for (int kind = 0; kind < PROFILE_WAIT_COUNT; kind++) {
        times.wait_s[kind] = field_real(waits, profile_wait_names[kind]);
    }
    double error_s = share_s(loader, object, "error_percent") / NORMAL_QUANTILE;
    times.variance_s2 = error_s * error_s;
    times.utilization_sum = fmin(1, field_real(object, "n_core_utilization"));
    times.sample_count = times.utilization_sum > 0 ? 1 : 0;
    return times;
}

static bool has_data(const json_t *object, const struct profile_times *times)
{
    return profile_times_cpu_s(times) + times->idle_s + profile_times_wait_s(times) > 0 ||
           field_real(object, "await_s") + field_real(object, "n_async_await_percent") > 0 ||
           field_real(object, "n_malloc_mb") + field_real(object, "n_peak_mb") > 0 ||
           field_real(object, "gpu_seen_s") + field_real(object, "n_gpu_percent") > 0 ||
           field_real(object, "copy_mb") + field_real(object, "n_copy_mb_s") > 0;
}

// Undoes what the format does to these three characters.
static void add_unescaped(struct text *out, const char *text)
{
    static const char *const escapes[] = {"\\u0026", "\\u003c", "\\u003e"};
    static const char plain[] = "&<>";
    while (*text) {
        size_t clean = strcspn(text, "\\");
        size_t i = 0;
        while (i < 3 && strncmp(text, escapes[i], 6) != 0) {
            i++;
        }
        if (i < 3) {
            text_add_char(out, plain[i]);
            text += 6;
        } else {
            text_add_bytes(out, text, clean > 0 ? clean : 1);
            text += clean > 0 ? clean : 1;
        }
    }
}

// One line of the source, whatever line ends the text has inside.
static void add_line(struct text *source, const json_t *object)
{
    char *text = field_text(object, "line");
    if (text) {
        text[strcspn(text, "\r\n")] = '\0';
        add_unescaped(source, text);
        free(text);
    }
    text_add_char(source, '\n');
}

// A line's number is its place in the list unless it says otherwise.
static int line_number(const json_t *object, int next)
{
    int number = field_integer(object, "lineno");
    return number > 0 ? number : next;
}

static void load_sample_times(const json_t *object, struct profile_line *line)
{
    const json_t *list = json_object_get(object, "cpu_samples_list");
    size_t count = json_array_size(list);
    if (count == 0 || line->sample_times_s) {
        return;
    }
    line->sample_times_s = mem_alloc(count * sizeof *line->sample_times_s);
    for (size_t i = 0; i < count; i++) {
        line->sample_times_s[i] = json_number_value(json_array_get(list, i));
    }
    line->sample_time_count = count;
}

static void load_line(struct line_loader *lines, const json_t *object)
{
    struct loader *loader = lines->loader;
    int number = line_number(object, lines->next);
    if (number < lines->next || number - lines->next > loader->gap_budget) {
        return;
    }
    loader->gap_budget -= number - lines->next;
    for (; lines->next < number; lines->next++) {
        text_add_char(&lines->source, '\n');
    }
    lines->next++;
    add_line(&lines->source, object);
    struct profile_times times = load_times(loader, object);
    if (has_data(object, &times)) {
        struct profile_line *line = profile_line(lines->file, number);
        line->times = times;
        load_memory(loader->profile, object, &line->memory);
        async_list_load(object, &line->async);
        gpu_list_load_record(object, &line->gpu);
        loader->profile->await_s += line->async.await_s;
        load_sample_times(object, line);
    }
}

// One record after the other: none outlives its line.
static bool load_records(struct line_loader *lines, const json_t *number)
{
    const struct squeezed *squeezed = lines->loader->squeezed;
    uint64_t index = (uint64_t)json_integer_value(number);
    if (!json_is_integer(number) || index >= squeezed->list_count) {
        return true; // no list
    }
    const struct squeezed_list *list = &squeezed->lists[index];
    for (size_t at = list->start; at < list->end;) {
        json_error_t end;
        json_t *object = json_loadb(squeezed->records.data + at, list->end - at,
                                    JSON_ALLOW_NUL | JSON_DISABLE_EOF_CHECK, &end);
        if (!object) {
            return false;
        }
        load_line(lines, object);
        json_decref(object);
        at += (size_t)end.position;
    }
    return true;
}

static bool load_lines(struct loader *loader, const json_t *list, struct profile_file *file)
{
    struct line_loader lines = {.loader = loader, .file = file, .next = 1};
    bool is_good = !loader->squeezed || load_records(&lines, list);
    for (size_t i = 0; i < json_array_size(list); i++) {
        load_line(&lines, json_array_get(list, i));
    }
    free(file->source);
    file->source = lines.source.data ? lines.source.data : mem_copy_text("");
    return is_good;
}

static void load_functions(const struct loader *loader, const json_t *list,
                           struct profile_file *file)
{
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *object = json_array_get(list, i);
        char *escaped = field_text(object, "line");
        struct profile_times times = load_times(loader, object);
        if (escaped && has_data(object, &times)) {
            struct text name = {0};
            add_unescaped(&name, escaped);
            struct profile_function *function =
                profile_function(file, name.data ? name.data : "", field_integer(object, "lineno"));
            function->times = times;
            load_memory(loader->profile, object, &function->memory);
            async_list_load(object, &function->async);
            gpu_list_load_record(object, &function->gpu);
            text_clear(&name);
        }
        free(escaped);
    }
}

bool load_files(const json_t *files, const struct squeezed *squeezed, struct profile *profile)
{
    struct loader loader = {.profile = profile,
                            .squeezed = squeezed,
                            .total_s = profile_total_s(profile),
                            .gap_budget = GAP_LINES_MAX};
    bool is_good = true;
    const char *path;
    json_t *object;
    json_object_foreach((json_t *)files, path, object)
    {
        struct profile_file *file = profile_file(profile, path);
        is_good = load_lines(&loader, json_object_get(object, "lines"), file) && is_good;
        load_functions(&loader, json_object_get(object, "functions"), file);
        leak_list_load(json_object_get(object, "leaks"), file);
    }
    return is_good;
}
