// SPDX-License-Identifier: Apache-2.0
#include "render/sentence.h"

#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <string.h>

#include "profile/amount.h"
#include "profile/percent.h"

#define NOTICEABLE_S 0.001
#define GPUS_TOLD    4

struct wait_words {
    char letter;
    const char *phrase;
};

static const struct wait_words wait_words[PROFILE_WAIT_COUNT] = {
    [PROFILE_WAIT_gil] = {'G', "for the GIL"},
    [PROFILE_WAIT_lock] = {'L', "for locks"},
    [PROFILE_WAIT_sleep] = {'S', "asleep"},
    [PROFILE_WAIT_disk] = {'D', "for the disk"},
    [PROFILE_WAIT_network] = {'N', "for the network"},
    [PROFILE_WAIT_pipe] = {'P', "for pipes"},
    [PROFILE_WAIT_child] = {'C', "for children"},
    [PROFILE_WAIT_gpu] = {'U', "for the GPU"},
    [PROFILE_WAIT_other] = {'O', "for something else"},
};

const char *sentence_wait(enum profile_wait kind)
{
    return wait_words[kind].phrase;
}

char sentence_wait_letter(enum profile_wait kind)
{
    return wait_words[kind].letter;
}

void sentence_duration(struct text *out, double seconds)
{
    double ms = round(seconds * 1000); // first, so that 59.9999 s is a minute
    if (ms < 1000) {
        text_format(out, "%.3fms", seconds * 1000);
        return;
    }
    double minutes = floor(ms / 60000);
    if (minutes >= 60) {
        text_format(out, "%.0fh:", floor(minutes / 60));
    }
    if (minutes >= 1) {
        text_format(out, "%.0fm:", fmod(minutes, 60));
    }
    text_format(out, "%.3fs", (ms - minutes * 60000) / 1000);
}

void sentence_size(struct text *out, double mb)
{
    static const char *const units[] = {"MB", "GB", "TB"};
    size_t unit = 0;
    while (mb >= 1024 && unit < 2) {
        mb /= 1024;
        unit++;
    }
    text_format(out, "%.3f %s", mb, units[unit]);
}

int sentence_main_wait(const struct profile_times *times)
{
    int most = -1;
    for (int kind = 0; kind < PROFILE_WAIT_COUNT; kind++) {
        if (times->wait_s[kind] > (most < 0 ? 0 : times->wait_s[most])) {
            most = kind;
        }
    }
    return most;
}

void sentence_waits(struct text *out, const struct profile_times *times)
{
    struct profile_times left = *times;
    bool is_first = true;
    for (int kind = sentence_main_wait(&left); kind >= 0; kind = sentence_main_wait(&left)) {
        if (left.wait_s[kind] < NOTICEABLE_S) {
            break;
        }
        text_add(out, is_first ? "" : ", ");
        amount_duration(out, left.wait_s[kind]);
        text_format(out, " %s", sentence_wait((enum profile_wait)kind));
        left.wait_s[kind] = 0;
        is_first = false;
    }
}

static void add_share(struct text *out, bool *is_first, double percent, const char *of)
{
    if (percent > 0) {
        text_add(out, *is_first ? "" : ", ");
        amount_percent(out, percent);
        text_format(out, " %s", of);
        *is_first = false;
    }
}

static const char *system_word(const struct profile *profile)
{
    return profile->format_version == 0 ? "system or waiting" : "system";
}

static const char *idle_word(const struct profile *profile)
{
    return profile->format_version == 0 ? "not in these files" : "idle";
}

void sentence_shares(struct text *out, const struct profile *profile,
                     const struct profile_times *times)
{
    struct percent percent = percent_of(profile, times);
    bool is_first = true;
    add_share(out, &is_first, percent.python, "Python");
    add_share(out, &is_first, percent.native, "native");
    add_share(out, &is_first, percent.system, system_word(profile));
    add_share(out, &is_first, percent.idle, idle_word(profile));
}

static void add_ending(struct text *out, const struct profile *profile)
{
    const struct profile_ending *ended = &profile->ended;
    if (profile->format_version == 0 || !ended->how) {
        return;
    }
    if (strcmp(ended->how, "signal") == 0) {
        const char *name = sigabbrev_np(ended->status);
        text_format(out, " It was ended by signal %d%s%s.", ended->status, name ? ", SIG" : "",
                    name ? name : "");
    } else if (strcmp(ended->how, "exit") == 0 && ended->status != 0) {
        text_format(out, " It ended with status %d.", ended->status);
    } else if (strcmp(ended->how, "running") == 0) {
        text_add(out, " It is still running.");
    }
}

void sentence_verdict(struct text *out, const struct profile *profile, const char *const *glyphs)
{
    struct percent percent = percent_of(profile, &profile->totals);
    const double shares[] = {percent.python, percent.native, percent.system, percent.idle};
    const char *words[] = {"Python", "native", system_word(profile), idle_word(profile)};
    text_add(out, "Of ");
    sentence_duration(out, profile_total_s(profile));
    for (int i = 0, shown = 0; i < 4; i++) {
        if (shares[i] > 0) {
            text_add(out, shown++ ? ", " : ": ");
            amount_percent(out, shares[i]);
            text_format(out, " %s%s", words[i], glyphs[i]);
        }
    }
    text_add(out, ".");
    struct text waits = {0};
    sentence_waits(&waits, &profile->totals);
    if (waits.len > 0) {
        text_format(out, " Threads waited %s.", waits.data);
    }
    text_clear(&waits);
    add_ending(out, profile);
}

// The line that held most at the peak, and what no line did.
static void add_holder(struct text *out, const struct profile *profile)
{
    const struct profile_footprint *footprint = &profile->footprint;
    const char *slash = footprint->path ? strrchr(footprint->path, '/') : NULL;
    double held_mb = 0;
    for (size_t i = 0; footprint->path && i < profile->file_count; i++) {
        const struct profile_file *file = &profile->files[i];
        uint64_t known = map_get(&file->line_index, (uint64_t)footprint->line);
        if (known && strcmp(file->path, footprint->path) == 0) {
            held_mb = file->lines[known - 1].memory.at_peak_mb;
        }
    }
    if (held_mb > 0) {
        text_format(out, " At its peak %s:%d held ", slash ? slash + 1 : footprint->path,
                    footprint->line);
        amount_size(out, held_mb);
        text_add(out, " of it");
        if (footprint->unattributed_at_peak_mb > 0) {
            text_add(out, ", and ");
            amount_size(out, footprint->unattributed_at_peak_mb);
            text_add(out, " belonged to no profiled line");
        }
        text_add(out, ".");
    }
}

void sentence_memory(struct text *out, const struct profile *profile, const char *timeline)
{
    const struct profile_footprint *footprint = &profile->footprint;
    text_format(out, "Memory usage: %s(max: ", timeline);
    sentence_size(out, footprint->max_mb);
    text_format(out, ", growth rate: %.0f%%", footprint->growth_percent);
    if (footprint->native_allocated_mb > 0) {
        text_add(out, ", ");
        sentence_size(out, footprint->native_allocated_mb);
        text_add(out, " from native threads");
    }
    text_add(out, ").");
    add_holder(out, profile);
}

// Whose work a figure of a GPU is about.
static const char *gpu_scope(const char *scope)
{
    if (strcmp(scope, "process") == 0) {
        return " (this program's work alone)";
    }
    return " (the work of all processes of the machine)";
}

static void add_gpu(struct text *out, const struct profile_gpu_device *device)
{
    text_format(out, "%sGPU %s: ", out->len > 0 ? " " : "", device->name);
    if (strcmp(device->scope, "none") == 0 || device->seen_s <= 0) {
        text_add(out, "how busy it was cannot be measured here");
    } else {
        text_format(out, "busy for %.0f%% of the time that it was in use%s",
                    100 * device->busy_s / device->seen_s, gpu_scope(device->scope));
    }
    if (device->peak_mb > 0) {
        text_add(out, ", up to ");
        amount_size(out, device->peak_mb);
        text_add(out, " of its memory in use");
        if (strcmp(device->memory_scope, device->scope) != 0) {
            text_add(out, gpu_scope(device->memory_scope));
        }
    }
    text_add_char(out, '.');
}

void sentence_gpus(struct text *out, const struct profile *profile)
{
    for (size_t i = 0; i < profile->gpus.count && i < GPUS_TOLD; i++) {
        add_gpu(out, &profile->gpus.devices[i]);
    }
    if (profile->gpus.count > GPUS_TOLD) {
        text_format(out, " And %zu more.", profile->gpus.count - GPUS_TOLD);
    }
}

void sentence_leak(struct text *out, const struct profile_leak *leak)
{
    double mb_s = leak->velocity_mb_s;
    text_format(out, "(estimated likelihood: %.0f%%, velocity: ", floor(100 * leak->likelihood));
    if (mb_s >= 99.95) {
        text_format(out, "%.0f MB/s)", mb_s);
    } else if (mb_s >= 0.1) {
        text_format(out, "%.3g MB/s)", mb_s);
    } else {
        text_format(out, "%.3g KB/s)", mb_s * 1024);
    }
}

static void add_facts(struct text *out, const struct profile *profile)
{
    if (profile->python_version) {
        text_format(out, "Python %s, ", profile->python_version);
    }
    sentence_duration(out, profile->elapsed_s);
    text_add(out, " elapsed");
    if (profile->process_count > 1) {
        text_format(out, ", %zu processes", profile->process_count);
    }
    if (profile->thread_count > 1) {
        text_format(out, ", %zu threads", profile->thread_count);
    }
    text_add(out, ". ");
}

static void add_counts(struct text *out, const struct profile_quality *quality)
{
    text_format(out, "%" PRIu64 " sample%s", quality->cpu_samples,
                quality->cpu_samples == 1 ? "" : "s");
    double interval_s =
        quality->interval_reached_s > 0 ? quality->interval_reached_s : quality->interval_asked_s;
    if (interval_s > 0) {
        text_format(out, ", one every %.3gms of CPU time", interval_s * 1000);
    }
    text_format(out, ", %" PRIu64 " lost", quality->cpu_samples_lost);
    if (quality->cpu_samples_late > 0) {
        text_format(out, ", %" PRIu64 " late", quality->cpu_samples_late);
    }
    if (quality->memory_samples > 0) {
        text_format(out, "; %" PRIu64 " of memory, %" PRIu64 " lost", quality->memory_samples,
                    quality->memory_samples_lost);
    }
    text_add(out, ".");
}

static double largest_error(const struct profile *profile)
{
    double largest = 0;
    for (size_t i = 0; i < profile->file_count; i++) {
        const struct profile_file *file = &profile->files[i];
        for (size_t j = 0; j < file->line_count; j++) {
            struct percent percent = percent_of(profile, &file->lines[j].times);
            largest = fmax(largest, percent.error);
        }
    }
    return largest;
}

static void add_cost(struct text *out, const struct profile *profile)
{
    const struct profile_quality *quality = &profile->quality;
    double cpu_s = profile_times_cpu_s(&profile->totals);
    if (quality->own_cpu_in_program_s > 0) {
        text_add(out, " Profiling took ");
        amount_duration(out, quality->own_cpu_in_program_s);
        if (cpu_s > 0) {
            text_format(out, " (%.2g%%)", 100 * quality->own_cpu_in_program_s / cpu_s);
        }
        text_add(out, " of the program's CPU time");
        text_add(out, quality->own_cpu_beside_s > 0 ? " and " : ".");
    } else if (quality->own_cpu_beside_s > 0) {
        text_add(out, " Profiling took ");
    }
    if (quality->own_cpu_beside_s > 0) {
        amount_duration(out, quality->own_cpu_beside_s);
        text_add(out, " beside it.");
    }
}

void sentence_task(struct text *out, const struct profile_task *task)
{
    bool has_name = task->name && task->name[0];
    const char *coroutine = task->coroutine && task->coroutine[0] ? task->coroutine : "?";
    text_format(out, has_name ? "%s (%s): " : "%s%s: ", has_name ? task->name : "", coroutine);
    amount_duration(out, task->cpu_s);
    text_add(out, " of CPU time, ");
    amount_duration(out, task->await_s);
    text_add(out, " awaited, ");
    amount_duration(out, task->longest_s);
    text_add(out, " without a break");
    if (task->creator_file && task->creator_file[0]) {
        const char *slash = strrchr(task->creator_file, '/');
        text_format(out, "; made at %s:%d", slash ? slash + 1 : task->creator_file,
                    task->creator_line);
    }
}

void sentence_receipt(struct text *out, const struct profile *profile, const char *plus_minus)
{
    if (profile->format_version == 0) {
        text_add(out, "Written by another profiler: how many samples there were, and how far to "
                      "trust them, is not in the file.");
        return;
    }
    add_facts(out, profile);
    add_counts(out, &profile->quality);
    double error = largest_error(profile);
    if (error > 0) {
        text_format(out, " A line's share is good to %s %.2g points or better (95%%).", plus_minus,
                    error);
    }
    if (profile->quality.cpu_unattributed_s >= NOTICEABLE_S) {
        text_add(out, " ");
        amount_duration(out, profile->quality.cpu_unattributed_s);
        text_add(out, " of CPU time belongs to no profiled line: start-up, exit, native threads, "
                      "other files.");
    }
    add_cost(out, profile);
}
