// SPDX-License-Identifier: Apache-2.0
#include "profile/profile.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/text.h"

#define FORMAT_VERSION            1
#define DEFAULT_PERCENT_THRESHOLD 1.0

const char *const profile_wait_names[PROFILE_WAIT_COUNT] = {
#define X(name) #name,
    PROFILE_WAITS(X)
#undef X
};

struct profile *profile_new(void)
{
    struct profile *profile = mem_alloc(sizeof *profile);
    profile->format_version = FORMAT_VERSION;
    profile->cpu_percent_threshold = DEFAULT_PERCENT_THRESHOLD;
    profile->ended.how = "running";
    return profile;
}

static void free_texts(char **texts, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        free(texts[i]);
    }
    free(texts);
}

static void file_clear(struct profile_file *file)
{
    for (size_t i = 0; i < file->line_count; i++) {
        free(file->lines[i].sample_times_s);
        profile_async_clear(&file->lines[i].async);
        profile_memory_clear(&file->lines[i].memory);
    }
    for (size_t i = 0; i < file->function_count; i++) {
        free(file->functions[i].name);
        profile_async_clear(&file->functions[i].async);
        profile_memory_clear(&file->functions[i].memory);
    }
    free(file->lines);
    free(file->functions);
    free(file->path);
    free(file->source);
    map_clear(&file->line_index);
    names_clear(&file->function_index);
}

static void free_stacks(struct profile_stack *stacks, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        free(stacks[i].frames);
    }
    free(stacks);
}

static void free_memory(struct profile *profile)
{
    for (size_t i = 0; i < profile->memory_stack_count; i++) {
        free(profile->memory_stacks[i].frames);
    }
    free(profile->memory_stacks);
    free(profile->footprint.points);
    free(profile->footprint.path);
}

static void free_lists(struct profile *profile)
{
    for (size_t i = 0; i < profile->file_count; i++) {
        file_clear(&profile->files[i]);
    }
    for (size_t i = 0; i < profile->frame_count; i++) {
        free(profile->frames[i].name);
        free(profile->frames[i].file);
    }
    for (size_t i = 0; i < profile->thread_count; i++) {
        free(profile->threads[i].name);
    }
    for (size_t i = 0; i < profile->task_count; i++) {
        free(profile->tasks[i].name);
        free(profile->tasks[i].coroutine);
        free(profile->tasks[i].file);
        free(profile->tasks[i].creator_file);
    }
    free(profile->tasks);
    for (size_t i = 0; i < profile->process_count; i++) {
        struct profile_process *process = &profile->processes[i];
        free_texts(process->command, process->command_count);
        free(process->python_version);
        free(process->why_not);
    }
    free(profile->files);
    free(profile->frames);
    free(profile->threads);
    free(profile->processes);
    free(profile->timeline);
    names_clear(&profile->file_index);
}

void profile_free(struct profile *profile)
{
    if (!profile) {
        return;
    }
    finding_list_clear(&profile->findings);
    profile_gpus_clear(&profile->gpus);
    profile_operators_clear(&profile->operators);
    free_lists(profile);
    free_memory(profile);
    free_stacks(profile->stacks, profile->stack_count);
    free_stacks(profile->combined, profile->combined_count);
    free_texts(profile->args, profile->arg_count);
    free_texts(profile->command, profile->command_count);
    free_texts(profile->quality.notes, profile->quality.note_count);
    free(profile->program);
    free(profile->program_dir);
    free(profile->entrypoint_dir);
    free(profile->python_version);
    free(profile->scalene_version);
    free(profile->os);
    free(profile->kernel);
    free(profile->machine);
    free(profile->python_executable);
    free(profile);
}

struct profile_file *profile_file(struct profile *profile, const char *path)
{
    size_t index = names_add(&profile->file_index, path, SIZE_MAX);
    if (index == profile->file_count) {
        profile->files = mem_grow(profile->files, profile->file_count, &profile->file_capacity,
                                  sizeof *profile->files);
        profile->files[profile->file_count++] = (struct profile_file){.path = mem_copy_text(path)};
    }
    return &profile->files[index];
}

struct profile_line *profile_line(struct profile_file *file, int number)
{
    uint64_t key = (uint64_t)(int64_t)number;
    uint64_t known = map_get(&file->line_index, key);
    if (known) {
        return &file->lines[known - 1];
    }
    file->lines =
        mem_grow(file->lines, file->line_count, &file->line_capacity, sizeof *file->lines);
    file->lines[file->line_count] = (struct profile_line){.number = number};
    map_put(&file->line_index, key, ++file->line_count);
    return &file->lines[file->line_count - 1];
}

struct profile_function *profile_function(struct profile_file *file, const char *name,
                                          int first_line)
{
    struct text key = {0};
    text_format(&key, "%d %s", first_line, name);
    size_t index = names_add(&file->function_index, key.data, key.len);
    text_clear(&key);
    if (index == file->function_count) {
        file->functions = mem_grow(file->functions, file->function_count, &file->function_capacity,
                                   sizeof *file->functions);
        file->functions[file->function_count++] =
            (struct profile_function){.name = mem_copy_text(name), .first_line = first_line};
    }
    return &file->functions[index];
}

void profile_note(struct profile *profile, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    char note[2048];
    vsnprintf(note, sizeof note, format, args);
    va_end(args);
    struct profile_quality *quality = &profile->quality;
    quality->notes = mem_grow(quality->notes, quality->note_count, &quality->note_capacity,
                              sizeof *quality->notes);
    quality->notes[quality->note_count++] = mem_copy_text(note);
}

double profile_file_at_peak_mb(const struct profile_file *file)
{
    double sum = 0;
    for (size_t i = 0; i < file->line_count; i++) {
        sum += file->lines[i].memory.at_peak_mb;
    }
    return sum;
}

double profile_file_held_mb(const struct profile_file *file)
{
    double most = profile_file_at_peak_mb(file);
    for (size_t i = 0; i < file->line_count; i++) {
        double peak_mb = file->lines[i].memory.peak_mb;
        most = peak_mb > most ? peak_mb : most;
    }
    return most;
}

void profile_times_add(struct profile_times *sum, const struct profile_times *part)
{
    sum->python_s += part->python_s;
    sum->native_s += part->native_s;
    sum->system_s += part->system_s;
    sum->idle_s += part->idle_s;
    for (int kind = 0; kind < PROFILE_WAIT_COUNT; kind++) {
        sum->wait_s[kind] += part->wait_s[kind];
    }
    sum->variance_s2 += part->variance_s2;
    sum->utilization_sum += part->utilization_sum;
    sum->sample_count += part->sample_count;
}

double profile_times_cpu_s(const struct profile_times *times)
{
    return times->python_s + times->native_s + times->system_s;
}

double profile_times_wait_s(const struct profile_times *times)
{
    double sum = 0;
    for (int kind = 0; kind < PROFILE_WAIT_COUNT; kind++) {
        sum += times->wait_s[kind];
    }
    return sum;
}

double profile_total_s(const struct profile *profile)
{
    double idle_s = profile->has_virtual_time ? 0 : profile->totals.idle_s;
    return profile_times_cpu_s(&profile->totals) + idle_s;
}
