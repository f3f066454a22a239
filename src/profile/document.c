// SPDX-License-Identifier: Apache-2.0
#include "profile/document.h"

#include <math.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/mem.h"
#include "profile/async_list.h"
#include "profile/finding_list.h"
#include "profile/gpu_list.h"
#include "profile/member.h"
#include "profile/operator_list.h"
#include "profile/percent.h"
#include "profile/reason.h"
#include "profile/record.h"
#include "profile/stack_list.h"

#define SECOND_DECIMALS  9
#define PERCENT_DECIMALS 6
#define TIME_DECIMALS    6 // of Unix time, which has no more to give

static const char *or_empty(const char *text)
{
    return text ? text : "";
}

static void write_ending(struct writer *writer, const struct profile_ending *ended)
{
    writer_key(writer, "ended");
    writer_begin_object(writer);
    member_text(writer, "how", ended->how ? ended->how : "running");
    member_integer(writer, "status", ended->status);
    writer_end_object(writer);
}

struct listed_file {
    const struct profile_file *file;
};

static int compare_paths(const void *left, const void *right)
{
    const struct listed_file *a = left;
    const struct listed_file *b = right;
    return strcmp(a->file->path, b->file->path);
}

static void write_rest(struct writer *writer, const struct profile_rest *rest)
{
    writer_key(writer, "files_below_threshold");
    writer_begin_object(writer);
    member_unsigned(writer, "count", rest->file_count);
    member_real(writer, "live_at_peak_mb", rest->at_peak_mb, SECOND_DECIMALS);
    writer_key(writer, "percent_cpu_time");
    writer_real(writer, fmin(100, rest->percent), PERCENT_DECIMALS);
    writer_end_object(writer);
}

static void write_files(struct writer *writer, const struct profile *profile)
{
    struct profile_rest rest = profile->rest;
    struct listed_file *listed = mem_alloc((profile->file_count + 1) * sizeof *listed);
    size_t count = 0;
    for (size_t i = 0; i < profile->file_count; i++) {
        const struct profile_file *file = &profile->files[i];
        if (record_is_listed(profile, file)) {
            listed[count++].file = file;
        } else {
            struct profile_times times = percent_file_times(file);
            struct percent percent = percent_of(profile, &times);
            rest.file_count++;
            rest.percent += percent_sum(&percent);
            rest.at_peak_mb += profile_file_at_peak_mb(file);
            writer_end_part(writer);
        }
    }
    qsort(listed, count, sizeof *listed, compare_paths);
    writer_key(writer, "files");
    writer_begin_object(writer);
    for (size_t i = 0; i < count; i++) {
        writer_key(writer, listed[i].file->path);
        record_write_file(writer, profile, listed[i].file);
        writer_end_part(writer);
    }
    writer_end_object(writer);
    write_rest(writer, &rest);
    free(listed);
}

static void write_process(struct writer *writer, const struct profile_process *process)
{
    writer_begin_object(writer);
    member_texts(writer, "command", process->command, process->command_count);
    member_real(writer, "cpu_s", process->cpu_s, SECOND_DECIMALS);
    member_real(writer, "end_s", process->end_s, SECOND_DECIMALS);
    write_ending(writer, &process->ended);
    member_integer(writer, "parent_pid", process->parent_pid);
    member_real(writer, "peak_footprint_mb", process->peak_footprint_mb, SECOND_DECIMALS);
    member_real(writer, "peak_rss_mb", process->peak_rss_mb, SECOND_DECIMALS);
    member_integer(writer, "pid", process->pid);
    member_bool(writer, "profiled", process->is_profiled);
    member_text(writer, "python_version", process->python_version);
    member_real(writer, "start_s", process->start_s, SECOND_DECIMALS);
    if (!process->is_profiled) {
        member_text(writer, "why_not", or_empty(process->why_not));
    }
    writer_end_object(writer);
}

static void write_processes(struct writer *writer, const struct profile *profile)
{
    writer_key(writer, "processes");
    writer_begin_list(writer);
    for (size_t i = 0; i < profile->process_count; i++) {
        write_process(writer, &profile->processes[i]);
    }
    writer_end_list(writer);
}

static void write_cpu(struct writer *writer, const struct profile_times *times)
{
    member_real(writer, "cpu_native_s", times->native_s, SECOND_DECIMALS);
    member_real(writer, "cpu_python_s", times->python_s, SECOND_DECIMALS);
}

static void write_threads(struct writer *writer, const struct profile *profile)
{
    writer_key(writer, "threads");
    writer_begin_list(writer);
    for (size_t i = 0; i < profile->thread_count; i++) {
        const struct profile_thread *thread = &profile->threads[i];
        writer_begin_object(writer);
        write_cpu(writer, &thread->times);
        member_real(writer, "cpu_system_s", thread->times.system_s, SECOND_DECIMALS);
        member_real(writer, "end_s", thread->end_s, SECOND_DECIMALS);
        member_text(writer, "name", or_empty(thread->name));
        member_integer(writer, "pid", thread->pid);
        member_real(writer, "start_s", thread->start_s, SECOND_DECIMALS);
        member_unsigned(writer, "thread_id", thread->thread_id);
        writer_key(writer, "wait_s");
        record_write_waits(writer, &thread->times);
        writer_end_object(writer);
    }
    writer_end_list(writer);
}

static void write_totals(struct writer *writer, const struct profile *profile)
{
    const struct profile_times *totals = &profile->totals;
    const struct profile_footprint *footprint = &profile->footprint;
    writer_key(writer, "totals");
    writer_begin_object(writer);
    write_cpu(writer, totals);
    member_real(writer, "cpu_s_kernel_says", profile->cpu_kernel_says_s, SECOND_DECIMALS);
    member_real(writer, "cpu_system_s", totals->system_s, SECOND_DECIMALS);
    member_real(writer, "file_mapped_mb", footprint->file_mapped_mb, SECOND_DECIMALS);
    member_real(writer, "idle_s", profile->has_virtual_time ? 0 : totals->idle_s, SECOND_DECIMALS);
    member_real(writer, "malloc_mb", footprint->allocated_mb, SECOND_DECIMALS);
    member_real(writer, "native_at_peak_mb", footprint->native_at_peak_mb, SECOND_DECIMALS);
    member_real(writer, "ready_s", profile->ready_s, SECOND_DECIMALS);
    member_real(writer, "shared_mb", footprint->shared_mb, SECOND_DECIMALS);
    member_real(writer, "unattributed_at_peak_mb", footprint->unattributed_at_peak_mb,
                SECOND_DECIMALS);
    writer_key(writer, "wait_s");
    record_write_waits(writer, totals);
    writer_end_object(writer);
}

static void write_notes(struct writer *writer, const struct profile *profile)
{
    const struct profile_quality *quality = &profile->quality;
    struct text why_empty = {0};
    writer_key(writer, "notes");
    writer_begin_list(writer);
    for (size_t i = 0; i < quality->note_count; i++) {
        writer_text(writer, quality->notes[i]);
    }
    if (reason_of_emptiness(profile, &why_empty)) {
        writer_text(writer, why_empty.data);
    }
    writer_end_list(writer);
    text_clear(&why_empty);
}

static void write_quality(struct writer *writer, const struct profile *profile)
{
    const struct profile_quality *quality = &profile->quality;
    writer_key(writer, "quality");
    writer_begin_object(writer);
    member_unsigned(writer, "cpu_samples", quality->cpu_samples);
    member_unsigned(writer, "cpu_samples_late", quality->cpu_samples_late);
    member_unsigned(writer, "cpu_samples_lost", quality->cpu_samples_lost);
    member_real(writer, "cpu_unattributed_s", quality->cpu_unattributed_s, SECOND_DECIMALS);
    member_unsigned(writer, "memory_samples", quality->memory_samples);
    member_unsigned(writer, "memory_samples_lost", quality->memory_samples_lost);
    write_notes(writer, profile);
    member_real(writer, "own_cpu_beside_s", quality->own_cpu_beside_s, SECOND_DECIMALS);
    member_real(writer, "own_cpu_in_program_s", quality->own_cpu_in_program_s, SECOND_DECIMALS);
    member_real(writer, "own_memory_mb", quality->own_memory_mb, SECOND_DECIMALS);
    writer_key(writer, "sampling_interval_s");
    writer_begin_object(writer);
    member_real(writer, "asked", quality->interval_asked_s, SECOND_DECIMALS);
    member_real(writer, "reached", quality->interval_reached_s, SECOND_DECIMALS);
    writer_end_object(writer);
    writer_end_object(writer);
}

static int64_t usable_cpus(void)
{
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0) {
        return CPU_COUNT(&set);
    }
    return sysconf(_SC_NPROCESSORS_ONLN);
}

static void write_system(struct writer *writer)
{
    struct utsname name = {0};
    uname(&name);
    writer_key(writer, "system");
    writer_begin_object(writer);
    member_integer(writer, "cpus", usable_cpus());
    member_text(writer, "kernel", name.release);
    member_text(writer, "machine", name.machine);
    member_text(writer, "os", name.sysname);
    writer_end_object(writer);
}

static void write_a_to_f(struct writer *writer, const struct profile *profile)
{
    member_unsigned(writer, "alloc_samples", profile->footprint.event_count);
    member_texts(writer, "args", profile->args, profile->arg_count);
    member_bool(writer, "async_profile", profile->has_async);
    async_list_write_tasks(writer, profile);
    stack_list_write_combined(writer, profile);
    member_texts(writer, "command", profile->command, profile->command_count);
    writer_key(writer, "elapsed_time_sec");
    writer_real(writer, fmax(0, profile->elapsed_s), SECOND_DECIMALS);
    write_ending(writer, &profile->ended);
    member_text(writer, "entrypoint_dir", or_empty(profile->entrypoint_dir));
    member_text(writer, "filename", or_empty(profile->program_dir));
    write_files(writer, profile);
    writer_key(writer, "findings");
    finding_list_write(writer, &profile->findings);
    member_unsigned(writer, "findings_left_out", profile->findings.left_out);
    member_integer(writer, "format_version", profile->format_version);
}

static void write_g_to_p(struct writer *writer, const struct profile *profile)
{
    const struct profile_footprint *footprint = &profile->footprint;
    gpu_list_write(writer, &profile->gpus);
    member_real(writer, "growth_rate", footprint->growth_percent, SECOND_DECIMALS);
    async_list_write_blocks(writer, profile);
    member_unsigned(writer, "main_thread_id", profile->main_thread_id);
    member_text(writer, "max_footprint_fname", footprint->path);
    writer_key(writer, "max_footprint_lineno");
    if (footprint->path && footprint->line > 0) {
        writer_integer(writer, footprint->line);
    } else {
        writer_null(writer);
    }
    member_real(writer, "max_footprint_mb", footprint->max_mb, SECOND_DECIMALS);
    member_real(writer, "max_footprint_python_fraction", footprint->python_fraction,
                SECOND_DECIMALS);
    member_bool(writer, "memory", profile->has_memory);
    stack_list_write_memory(writer, profile);
    member_real(writer, "native_allocations_mb", footprint->native_allocated_mb, SECOND_DECIMALS);
    write_processes(writer, profile);
    member_text(writer, "program", or_empty(profile->program));
    member_text(writer, "python_executable", profile->python_executable);
    member_text(writer, "python_version", profile->python_version);
}

static void write_q_to_z(struct writer *writer, const struct profile *profile)
{
    write_quality(writer, profile);
    record_write_points(writer, "samples", profile->footprint.points,
                        profile->footprint.point_count);
    member_text(writer, "scalene_version", SCALENE_VERSION);
    stack_list_write(writer, profile);
    writer_key(writer, "start_time_absolute");
    writer_real(writer, profile->start_time_absolute_s, TIME_DECIMALS);
    member_real(writer, "start_time_perf", profile->start_time_perf_s, SECOND_DECIMALS);
    write_system(writer);
    write_threads(writer, profile);
    write_totals(writer, profile);
    operator_list_write(writer, &profile->operators);
}

void document_write(struct writer *writer, const struct profile *profile)
{
    writer->part_count = profile->file_count + profile->stack_count + profile->combined_count +
                         profile->memory_stack_count;
    writer_begin_object(writer);
    write_a_to_f(writer, profile);
    write_g_to_p(writer, profile);
    write_q_to_z(writer, profile);
    writer_end_object(writer);
}
