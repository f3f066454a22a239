// SPDX-License-Identifier: Apache-2.0
#include "render/viewer_form.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "profile/finding_list.h"
#include "profile/percent.h"
#include "profile/reason.h"
#include "profile/record.h"
#include "render/sentence.h"
#include "render/viewer_part.h"

#define FORM_VERSION    1
#define SECOND_DECIMALS 6
#define MB_DECIMALS     4

struct file_time {
    size_t index;
    double time_s;
    const char *path;
};

static int compare_times(const void *left, const void *right)
{
    const struct file_time *a = left;
    const struct file_time *b = right;
    if (a->time_s != b->time_s) {
        return a->time_s > b->time_s ? -1 : 1;
    }
    return strcmp(a->path, b->path);
}

size_t *viewer_form_files(const struct profile *profile)
{
    struct file_time *times = mem_alloc((profile->file_count + 1) * sizeof *times);
    size_t *files = mem_alloc((profile->file_count + 1) * sizeof *files);
    for (size_t i = 0; i < profile->file_count; i++) {
        struct profile_times sum = percent_file_times(&profile->files[i]);
        times[i] =
            (struct file_time){i, profile_times_cpu_s(&sum) + sum.idle_s, profile->files[i].path};
    }
    qsort(times, profile->file_count, sizeof *times, compare_times);
    for (size_t i = 0; i < profile->file_count; i++) {
        files[i] = times[i].index;
    }
    free(times);
    return files;
}

static void write_texts(struct viewer *viewer, const char *key, char *const *texts, size_t count)
{
    writer_key(viewer->writer, key);
    writer_begin_list(viewer->writer);
    for (size_t i = 0; i < count; i++) {
        writer_text(viewer->writer, texts[i]);
    }
    writer_end_list(viewer->writer);
}

static void write_footprint(struct viewer *viewer)
{
    const struct profile_footprint *footprint = &viewer->profile->footprint;
    writer_key(viewer->writer, "footprint");
    writer_begin_object(viewer->writer);
    writer_key(viewer->writer, "mb");
    writer_begin_list(viewer->writer);
    for (size_t i = 0; i < footprint->point_count; i++) {
        writer_real(viewer->writer, footprint->points[i].mb, MB_DECIMALS);
    }
    writer_end_list(viewer->writer);
    writer_key(viewer->writer, "t_s");
    writer_begin_list(viewer->writer);
    for (size_t i = 0; i < footprint->point_count; i++) {
        writer_real(viewer->writer, footprint->points[i].t_s, SECOND_DECIMALS);
    }
    writer_end_list(viewer->writer);
    writer_end_object(viewer->writer);
}

static void write_missing_one(struct viewer *viewer, bool is_missing, const char *what,
                              const char *why)
{
    if (is_missing) {
        writer_begin_object(viewer->writer);
        viewer_text(viewer, "what", what);
        viewer_text(viewer, "why", why);
        writer_end_object(viewer->writer);
    }
}

static void write_missing(struct viewer *viewer)
{
    const struct profile *profile = viewer->profile;
    bool is_original = profile->format_version == 0;
    writer_key(viewer->writer, "missing");
    writer_begin_list(viewer->writer);
    write_missing_one(viewer, !profile->has_memory, "memory",
                      "Memory was not measured: the run was started with --cpu-only, or memory "
                      "profiling was off.");
    write_missing_one(viewer, profile->combined_count == 0, "stacks",
                      "The profile has no stacks: the run was started with --no-stacks, or nothing "
                      "was sampled.");
    write_missing_one(viewer, profile->timeline_count == 0, "timeline",
                      "The profile does not tell when its samples were taken.");
    write_missing_one(viewer, is_original, "errors",
                      "The profile was written by another profiler, which does not tell how far "
                      "to trust its numbers.");
    write_missing_one(viewer, is_original, "threads",
                      "The profile was written by another profiler, which does not tell threads "
                      "and waiting apart.");
    write_missing_one(viewer, !profile->gpus.is_used, "gpu",
                      "The program used no GPU, or none that could be measured.");
    write_missing_one(
        viewer, !profile->has_async, "async",
        "Awaits were not measured: the run was started with --cpu-only or --no-async.");
    writer_end_list(viewer->writer);
}

static void write_system(struct viewer *viewer)
{
    const struct profile *profile = viewer->profile;
    writer_key(viewer->writer, "system");
    writer_begin_object(viewer->writer);
    viewer_integer(viewer, "cpus", profile->cpu_count);
    viewer_text(viewer, "kernel", profile->kernel);
    viewer_text(viewer, "machine", profile->machine);
    viewer_text(viewer, "os", profile->os);
    writer_end_object(viewer->writer);
}

static void write_profile(struct viewer *viewer)
{
    const struct profile *profile = viewer->profile;
    writer_key(viewer->writer, "profile");
    writer_begin_object(viewer->writer);
    write_texts(viewer, "command", profile->command, profile->command_count);
    viewer_real(viewer, "elapsed_s", profile->elapsed_s, SECOND_DECIMALS);
    viewer_ending(viewer, &profile->ended);
    viewer_integer(viewer, "format_version", profile->format_version);
    viewer_bool(viewer, "has_memory", profile->has_memory);
    viewer_bool(viewer, "has_stacks", profile->combined_count > 0);
    viewer_text(viewer, "program", profile->program ? profile->program : "");
    viewer_text(viewer, "program_dir", profile->program_dir ? profile->program_dir : "");
    viewer_text(viewer, "python_executable", profile->python_executable);
    viewer_text(viewer, "python_version", profile->python_version);
    viewer_text(viewer, "scalene_version", profile->scalene_version);
    viewer_real(viewer, "started_at", profile->start_time_absolute_s, SECOND_DECIMALS);
    write_system(viewer);
    writer_end_object(viewer->writer);
}

static void write_notes(struct viewer *viewer)
{
    const struct profile_quality *quality = &viewer->profile->quality;
    struct text why_empty = {0};
    writer_key(viewer->writer, "notes");
    writer_begin_list(viewer->writer);
    for (size_t i = 0; i < quality->note_count; i++) {
        writer_text(viewer->writer, quality->notes[i]);
    }
    if (quality->note_count == 0 && reason_of_emptiness(viewer->profile, &why_empty)) {
        writer_text(viewer->writer, why_empty.data);
    }
    writer_end_list(viewer->writer);
    text_clear(&why_empty);
}

static void write_quality(struct viewer *viewer)
{
    const struct profile_quality *quality = &viewer->profile->quality;
    writer_key(viewer->writer, "quality");
    writer_begin_object(viewer->writer);
    viewer_real(viewer, "cpu_samples", (double)quality->cpu_samples, 0);
    viewer_real(viewer, "cpu_samples_late", (double)quality->cpu_samples_late, 0);
    viewer_real(viewer, "cpu_samples_lost", (double)quality->cpu_samples_lost, 0);
    viewer_real(viewer, "cpu_unattributed_s", quality->cpu_unattributed_s, SECOND_DECIMALS);
    viewer_real(viewer, "interval_asked_s", quality->interval_asked_s, SECOND_DECIMALS);
    viewer_real(viewer, "interval_reached_s", quality->interval_reached_s, SECOND_DECIMALS);
    viewer_real(viewer, "memory_samples", (double)quality->memory_samples, 0);
    viewer_real(viewer, "memory_samples_lost", (double)quality->memory_samples_lost, 0);
    write_notes(viewer);
    viewer_real(viewer, "own_cpu_beside_s", quality->own_cpu_beside_s, SECOND_DECIMALS);
    viewer_real(viewer, "own_cpu_in_program_s", quality->own_cpu_in_program_s, SECOND_DECIMALS);
    viewer_real(viewer, "own_memory_mb", quality->own_memory_mb, MB_DECIMALS);
    writer_end_object(viewer->writer);
}

static void write_rest(struct viewer *viewer)
{
    const struct profile_rest *rest = &viewer->profile->rest;
    writer_key(viewer->writer, "rest");
    writer_begin_object(viewer->writer);
    viewer_real(viewer, "at_peak_mb", rest->at_peak_mb, MB_DECIMALS);
    viewer_real(viewer, "file_count", (double)rest->file_count, 0);
    viewer_real(viewer, "percent", rest->percent, MB_DECIMALS);
    writer_end_object(viewer->writer);
}

static void write_strings(struct viewer *viewer)
{
    writer_key(viewer->writer, "strings");
    writer_begin_list(viewer->writer);
    for (size_t i = 0; i < viewer->strings.count; i++) {
        writer_text(viewer->writer, viewer->strings.texts[i]);
    }
    writer_end_list(viewer->writer);
}

static void write_peak_line(struct viewer *viewer)
{
    const struct profile *profile = viewer->profile;
    writer_key(viewer->writer, "peak_line");
    for (size_t i = 0; profile->footprint.path && i < profile->file_count; i++) {
        if (strcmp(profile->files[viewer->files[i]].path, profile->footprint.path) == 0) {
            writer_begin_object(viewer->writer);
            viewer_integer(viewer, "file", (int64_t)i);
            viewer_integer(viewer, "line", profile->footprint.line);
            writer_end_object(viewer->writer);
            return;
        }
    }
    writer_null(viewer->writer);
}

static double sum_of_lines(const struct profile *profile,
                           double (*value)(const struct profile_memory *memory))
{
    double sum = 0;
    for (size_t i = 0; i < profile->file_count; i++) {
        for (size_t j = 0; j < profile->files[i].line_count; j++) {
            sum += value(&profile->files[i].lines[j].memory);
        }
    }
    return sum;
}

static double at_end_of(const struct profile_memory *memory)
{
    return memory->at_end_mb;
}

static double copied_of(const struct profile_memory *memory)
{
    return memory->copied_mb;
}

static void write_totals(struct viewer *viewer)
{
    const struct profile *profile = viewer->profile;
    const struct profile_times *totals = &profile->totals;
    const struct profile_footprint *footprint = &profile->footprint;
    bool has_memory = profile->has_memory;
    writer_key(viewer->writer, "totals");
    writer_begin_object(viewer->writer);
    if (has_memory) {
        viewer_real(viewer, "allocated_mb", footprint->allocated_mb, MB_DECIMALS);
        viewer_real(viewer, "at_end_mb", sum_of_lines(profile, at_end_of), MB_DECIMALS);
    }
    if (profile->has_async) {
        viewer_real(viewer, "await_s", profile->await_s, SECOND_DECIMALS);
    }
    if (has_memory) {
        viewer_real(viewer, "copied_mb", sum_of_lines(profile, copied_of), MB_DECIMALS);
    }
    viewer_real(viewer, "cpu_s", profile_times_cpu_s(totals), SECOND_DECIMALS);
    if (has_memory) {
        viewer_real(viewer, "growth_percent", footprint->growth_percent, MB_DECIMALS);
    }
    viewer_real(viewer, "idle_s", profile->has_virtual_time ? 0 : totals->idle_s, SECOND_DECIMALS);
    if (has_memory) {
        viewer_real(viewer, "native_at_peak_mb", footprint->native_at_peak_mb, MB_DECIMALS);
    }
    viewer_real(viewer, "native_s", totals->native_s, SECOND_DECIMALS);
    if (has_memory) {
        write_peak_line(viewer);
        viewer_real(viewer, "peak_mb", footprint->max_mb, MB_DECIMALS);
        viewer_real(viewer, "peak_python_fraction", footprint->python_fraction, MB_DECIMALS);
    }
    viewer_real(viewer, "python_s", totals->python_s, SECOND_DECIMALS);
    viewer_real(viewer, "ready_s", profile->ready_s, SECOND_DECIMALS);
    viewer_real(viewer, "system_s", totals->system_s, SECOND_DECIMALS);
    viewer_real(viewer, "total_s", profile_total_s(profile), SECOND_DECIMALS);
    if (has_memory) {
        viewer_real(viewer, "unattributed_at_peak_mb", footprint->unattributed_at_peak_mb,
                    MB_DECIMALS);
    }
    viewer_waits(viewer, totals);
    writer_end_object(viewer->writer);
}

static void write_verdict(struct viewer *viewer)
{
    static const char *const glyphs[] = {"", "", "", ""};
    const struct profile *profile = viewer->profile;
    struct text time = {0};
    struct text memory = {0};
    struct text receipt = {0};
    sentence_verdict(&time, profile, glyphs);
    sentence_memory(&memory, profile, "");
    sentence_receipt(&receipt, profile, "±");
    writer_key(viewer->writer, "verdict");
    writer_begin_object(viewer->writer);
    viewer_text(viewer, "memory", profile->has_memory ? memory.data : NULL);
    viewer_text(viewer, "receipt", receipt.data);
    viewer_text(viewer, "time", time.data);
    writer_end_object(viewer->writer);
    text_clear(&time);
    text_clear(&memory);
    text_clear(&receipt);
}

// Of two processes' threads with one number the first has it: samples do not tell them apart.
static void number_threads(struct viewer *viewer)
{
    const struct profile *profile = viewer->profile;
    for (size_t i = 0; i < profile->thread_count; i++) {
        if (!map_get(&viewer->threads, profile->threads[i].thread_id)) {
            map_put(&viewer->threads, profile->threads[i].thread_id, i + 1);
        }
    }
}

static void write_form(struct viewer *viewer)
{
    writer_begin_object(viewer->writer);
    viewer_write_files(viewer);
    writer_key(viewer->writer, "findings");
    finding_list_write(viewer->writer, &viewer->profile->findings);
    viewer_real(viewer, "findings_left_out", (double)viewer->profile->findings.left_out, 0);
    write_footprint(viewer);
    viewer_integer(viewer, "form_version", FORM_VERSION);
    viewer_write_frames(viewer);
    viewer_write_functions(viewer);
    if (viewer->profile->gpus.count > 0) {
        viewer_write_gpu_devices(viewer);
    }
    viewer_write_lines(viewer);
    viewer_write_memory_stacks(viewer);
    write_missing(viewer);
    viewer_write_operators(viewer);
    viewer_write_processes(viewer);
    write_profile(viewer);
    write_quality(viewer);
    write_rest(viewer);
    viewer_write_samples(viewer);
    viewer_write_series(viewer);
    viewer_write_stack_times(viewer);
    viewer_write_stacks(viewer);
    write_strings(viewer);
    viewer_write_tasks(viewer);
    viewer_write_threads(viewer);
    write_totals(viewer);
    write_verdict(viewer);
    writer_end_object(viewer->writer);
}

void viewer_form(const struct profile *profile, struct text *out)
{
    struct writer writer;
    writer_init(&writer, -1);
    writer.is_compact = true;
    struct viewer viewer = {
        .profile = profile, .writer = &writer, .files = viewer_form_files(profile)};
    viewer_string(&viewer, "");
    number_threads(&viewer);
    viewer_number_stacks(&viewer);
    write_form(&viewer);
    *out = writer.text;
    names_clear(&viewer.strings);
    map_clear(&viewer.threads);
    map_clear(&viewer.nodes);
    free(viewer.files);
    free(viewer.parents);
    free(viewer.node_frames);
    free(viewer.leaves);
    free(viewer.memory_leaves);
}
