// SPDX-License-Identifier: Apache-2.0
#include "profile/load.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/text.h"
#include "profile/async_list.h"
#include "profile/field.h"
#include "profile/finding_list.h"
#include "profile/gpu_list.h"
#include "profile/load_file.h"
#include "profile/load_memory.h"
#include "profile/load_stack.h"
#include "profile/load_timeline.h"
#include "profile/operator_list.h"
#include "profile/percent.h"
#include "profile/squeeze.h"

#define SQUEEZED_BYTES 262144 // a smaller text is parsed as it is

static void load_waits(const json_t *object, struct profile_times *times)
{
    const json_t *waits = json_object_get(object, "wait_s");
    for (int kind = 0; kind < PROFILE_WAIT_COUNT; kind++) {
        times->wait_s[kind] = field_real(waits, profile_wait_names[kind]);
    }
}

static void load_cpu(const json_t *object, struct profile_times *times)
{
    times->python_s = field_real(object, "cpu_python_s");
    times->native_s = field_real(object, "cpu_native_s");
    times->system_s = field_real(object, "cpu_system_s");
    load_waits(object, times);
}

static struct profile_ending load_ending(const json_t *object)
{
    static const char *const known[] = {"exit", "signal", "running", "unknown"};
    const json_t *ended = json_object_get(object, "ended");
    const char *how = json_string_value(json_object_get(ended, "how"));
    struct profile_ending ending = {.how = "running", .status = field_integer(ended, "status")};
    for (size_t i = 0; how && i < sizeof known / sizeof *known; i++) {
        if (strcmp(how, known[i]) == 0) {
            ending.how = known[i];
        }
    }
    return ending;
}

static void load_quality(const json_t *root, struct profile *profile)
{
    const json_t *object = json_object_get(root, "quality");
    const json_t *interval = json_object_get(object, "sampling_interval_s");
    struct profile_quality *quality = &profile->quality;
    quality->cpu_samples = field_count(object, "cpu_samples");
    quality->cpu_samples_lost = field_count(object, "cpu_samples_lost");
    quality->cpu_samples_late = field_count(object, "cpu_samples_late");
    quality->memory_samples = field_count(object, "memory_samples");
    quality->memory_samples_lost = field_count(object, "memory_samples_lost");
    quality->cpu_unattributed_s = field_real(object, "cpu_unattributed_s");
    quality->interval_asked_s = field_real(interval, "asked");
    quality->interval_reached_s = field_real(interval, "reached");
    quality->own_cpu_in_program_s = field_real(object, "own_cpu_in_program_s");
    quality->own_cpu_beside_s = field_real(object, "own_cpu_beside_s");
    quality->own_memory_mb = field_real(object, "own_memory_mb");
    quality->notes = field_texts(object, "notes", &quality->note_count);
    quality->note_capacity = quality->note_count;
}

static void load_threads(const json_t *root, struct profile *profile)
{
    const json_t *list = json_object_get(root, "threads");
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *object = json_array_get(list, i);
        struct profile_thread thread = {.pid = field_integer(object, "pid"),
                                        .thread_id = field_count(object, "thread_id"),
                                        .name = field_text(object, "name"),
                                        .start_s = field_real(object, "start_s"),
                                        .end_s = field_real(object, "end_s")};
        load_cpu(object, &thread.times);
        profile->threads = mem_grow(profile->threads, profile->thread_count,
                                    &profile->thread_capacity, sizeof *profile->threads);
        profile->threads[profile->thread_count++] = thread;
    }
}

static void load_processes(const json_t *root, struct profile *profile)
{
    const json_t *list = json_object_get(root, "processes");
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *object = json_array_get(list, i);
        struct profile_process process = {.pid = field_integer(object, "pid"),
                                          .parent_pid = field_integer(object, "parent_pid"),
                                          .python_version = field_text(object, "python_version"),
                                          .start_s = field_real(object, "start_s"),
                                          .end_s = field_real(object, "end_s"),
                                          .ended = load_ending(object),
                                          .cpu_s = field_real(object, "cpu_s"),
                                          .peak_rss_mb = field_real(object, "peak_rss_mb"),
                                          .peak_footprint_mb =
                                              field_real(object, "peak_footprint_mb"),
                                          .is_profiled = field_bool(object, "profiled"),
                                          .why_not = field_text(object, "why_not")};
        process.command = field_texts(object, "command", &process.command_count);
        profile->processes = mem_grow(profile->processes, profile->process_count,
                                      &profile->process_capacity, sizeof *profile->processes);
        profile->processes[profile->process_count++] = process;
    }
}

static void load_totals(const json_t *root, struct profile *profile)
{
    const json_t *totals = json_object_get(root, "totals");
    load_cpu(totals, &profile->totals);
    profile->totals.idle_s = field_real(totals, "idle_s");
    profile->ready_s = field_real(totals, "ready_s");
    profile->cpu_kernel_says_s = field_real(totals, "cpu_s_kernel_says");
    if (profile->format_version == 0) {
        profile->totals.idle_s = profile->elapsed_s; // until its files are known
    }
    const json_t *rest = json_object_get(root, "files_below_threshold");
    profile->rest.file_count = field_count(rest, "count");
    profile->rest.percent = field_real(rest, "percent_cpu_time");
    profile->rest.at_peak_mb = field_real(rest, "live_at_peak_mb");
}

static void load_system(const json_t *root, struct profile *profile)
{
    const json_t *system = json_object_get(root, "system");
    profile->scalene_version = field_text(root, "scalene_version");
    profile->os = field_text(system, "os");
    profile->kernel = field_text(system, "kernel");
    profile->machine = field_text(system, "machine");
    profile->cpu_count = field_integer(system, "cpus");
}

static void load_top(const json_t *root, struct profile *profile)
{
    profile->format_version = field_integer(root, "format_version");
    profile->program = field_text(root, "program");
    profile->program_dir = field_text(root, "filename");
    profile->entrypoint_dir = field_text(root, "entrypoint_dir");
    profile->args = field_texts(root, "args", &profile->arg_count);
    profile->command = field_texts(root, "command", &profile->command_count);
    profile->python_version = field_text(root, "python_version");
    profile->python_executable = field_text(root, "python_executable");
    load_system(root, profile);
    profile->elapsed_s = field_real(root, "elapsed_time_sec");
    profile->start_time_absolute_s = field_real(root, "start_time_absolute");
    profile->start_time_perf_s = field_real(root, "start_time_perf");
    profile->main_thread_id = field_count(root, "main_thread_id");
    profile->ended = load_ending(root);
    profile->cpu_percent_threshold = 0; // what was left out is not there
}

// The original has shares only. T is taken as the elapsed time; what its files do not account for
// stays idle time.
static void sum_up_original(struct profile *profile)
{
    struct profile_times sum = {0};
    for (size_t i = 0; i < profile->file_count; i++) {
        struct profile_times times = percent_file_times(&profile->files[i]);
        profile_times_add(&sum, &times);
    }
    sum.idle_s = fmax(0, profile->elapsed_s - profile_times_cpu_s(&sum));
    profile->totals = sum;
}

static bool load_samples(const json_t *root, const struct squeezed *squeezed,
                         struct profile *profile)
{
    if (squeezed && squeezed->timeline && profile->combined_count > 0) {
        return load_timeline_text(squeezed->timeline, squeezed->timeline_len, profile);
    }
    load_timeline(json_object_get(root, "combined_stacks_timeline"), profile);
    return true;
}

// What the root of a squeezed profile does not have is in `squeezed`, NULL otherwise. False if that
// cannot be read.
static bool load_root(const json_t *root, const struct squeezed *squeezed, struct profile *profile)
{
    load_top(root, profile);
    load_totals(root, profile);
    load_footprint(root, profile);
    load_quality(root, profile);
    load_threads(root, profile);
    load_processes(root, profile);
    bool is_good = load_files(json_object_get(root, "files"), squeezed, profile);
    async_list_load_all(root, profile);
    gpu_list_load(root, &profile->gpus);
    operator_list_load(root, &profile->operators);
    load_stacks(root, profile);
    is_good = load_samples(root, squeezed, profile) && is_good;
    if (profile->format_version == 0) {
        sum_up_original(profile);
        finding_search(profile);
    } else {
        finding_list_load(root, &profile->findings);
    }
    return is_good;
}

static bool is_profile(const json_t *root)
{
    // The original writes an empty object when it has no samples.
    return json_is_object(root) &&
           (json_object_size(root) == 0 || json_is_object(json_object_get(root, "files")));
}

bool profile_parse(struct profile **profile, const char *text, size_t len, const char *name,
                   struct error *err)
{
    json_error_t problem;
    json_t *root = json_loadb(text, len, JSON_ALLOW_NUL, &problem);
    if (!root) {
        return error_set(err, "invalid JSON in profile file %s: line %d: %s", name, problem.line,
                         problem.text);
    }
    bool is_one = is_profile(root);
    if (is_one) {
        *profile = profile_new();
        load_root(root, NULL, *profile);
    } else {
        error_set(err, "%s is JSON, but not a profile: it has no \"files\"", name);
    }
    json_decref(root);
    return is_one;
}

static bool read_all(int fd, size_t size, struct text *text)
{
    char buf[65536];
    ssize_t len;
    while ((len = read(fd, buf, sizeof buf)) != 0 && text->len <= size) {
        if (len > 0) {
            text_add_bytes(text, buf, (size_t)len);
        } else if (errno != EINTR) {
            return false;
        }
    }
    return true;
}

static bool parse_squeezed(struct profile **profile, const struct squeezed *squeezed)
{
    json_t *root = json_loadb(squeezed->text.data, squeezed->text.len, JSON_ALLOW_NUL, NULL);
    bool is_parsed = false;
    if (is_profile(root)) {
        *profile = profile_new();
        is_parsed = load_root(root, squeezed, *profile);
        if (!is_parsed) {
            profile_free(*profile);
        }
    }
    json_decref(root);
    return is_parsed;
}

// A text that cannot be squeezed is not JSON, or has what only the parser knows: it has the word.
bool profile_parse_for(struct profile **profile, const char *text, size_t len, enum squeeze_use use,
                       const char *name, struct error *err)
{
    struct squeezed squeezed;
    bool is_parsed = squeeze(text, len, use, &squeezed) && parse_squeezed(profile, &squeezed);
    squeezed_clear(&squeezed);
    return is_parsed || profile_parse(profile, text, len, name, err);
}

static bool read_file(struct text *text, const char *path, struct error *err)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        return error_set(err, "cannot open profile file %s: %s", path, strerror(errno));
    }
    struct stat status;
    bool is_read = true;
    if (fstat(fd, &status) == 0 && (uintmax_t)status.st_size > PROFILE_TEXT_MAX) {
        is_read = error_set(err, "profile file %s is larger than 2 GB", path);
    } else if (!read_all(fd, PROFILE_TEXT_MAX, text)) {
        is_read = error_set(err, "cannot read profile file %s: %s", path, strerror(errno));
    }
    close(fd);
    return is_read;
}

static bool load_for(struct profile **profile, const char *path, enum squeeze_use use,
                     struct error *err)
{
    struct text text = {0};
    bool is_loaded = read_file(&text, path, err);
    const char *data = text.data ? text.data : "";
    if (is_loaded && text.len < SQUEEZED_BYTES) {
        is_loaded = profile_parse(profile, data, text.len, path, err);
    } else if (is_loaded) {
        is_loaded = profile_parse_for(profile, data, text.len, use, path, err);
    }
    text_clear(&text);
    return is_loaded;
}

bool profile_load(struct profile **profile, const char *path, struct error *err)
{
    return load_for(profile, path, SQUEEZE_PAGE, err);
}

bool profile_load_lines(struct profile **profile, const char *path, struct error *err)
{
    return load_for(profile, path, SQUEEZE_LINES, err);
}
