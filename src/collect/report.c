// SPDX-License-Identifier: Apache-2.0
#include "collect/report.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/mem.h"
#include "collect/fold_async.h"
#include "collect/fold_leak.h"
#include "collect/gpu_watch.h"
#include "collect/process_list.h"
#include "wire/roll.h"

static uint64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static struct process *root_of(struct collector *collector)
{
    return process_find(collector->processes, collector->process_count,
                        collector->options.root_pid);
}

// When the root process was first a Python: a wrapper that becomes one after a while was not
// profiled until then.
static double root_start_s(const struct collector *collector)
{
    for (size_t i = 0; i < collector->process_count; i++) {
        if (collector->processes[i]->pid == collector->options.root_pid) {
            return fmax(0, collector->processes[i]->start_s);
        }
    }
    return 0;
}

static double timeval_s(struct timeval time)
{
    return (double)time.tv_sec + (double)time.tv_usec / 1e6;
}

static double helper_native(const void *context, uint32_t leaf)
{
    return tally_helper_native(context, leaf);
}

static void add_idle(void *context, uint32_t spot, double seconds)
{
    tally_add_idle(context, spot, seconds);
}

static uint64_t counter(const struct process *process, enum ring_counter which)
{
    return process->ring.header ? atomic_load(&process->ring.header->counters[which])
                                : process->counters[which];
}

static uint64_t counter_sum(const struct collector *collector, enum ring_counter which)
{
    uint64_t sum = collector->forgotten.counters[which];
    for (size_t i = 0; i < collector->process_count; i++) {
        sum += counter(collector->processes[i], which);
    }
    return sum;
}

static void fill_memory(struct collector *collector, struct profile *profile, double end_s)
{
    struct fold *fold = &collector->fold;
    profile->has_memory = true;
    memory_tally_miss(fold->memory, counter_sum(collector, COUNTER_missed_bytes));
    memory_tally_fill(fold->memory, profile, end_s);
    for (size_t i = 0; i < collector->process_count; i++) {
        fold_leak_fill(fold, collector->processes[i], end_s, profile);
    }
    stack_table_fill_memory(fold->memory_stacks, profile, collector->symbols);
    profile->quality.memory_samples = fold->allocation_count;
    profile->quality.memory_samples_lost = counter_sum(collector, COUNTER_dropped_allocations);
}

// The kernel's figure for resource usage would include who started us: it survives exec.
static double own_memory_mb(void)
{
    char line[256];
    unsigned long kb = 0;
    FILE *status = fopen("/proc/self/status", "re");
    while (status && kb == 0 && fgets(line, sizeof line, status)) {
        sscanf(line, "VmHWM: %lu", &kb);
    }
    if (status) {
        fclose(status);
    }
    return (double)kb / 1024;
}

static void fill_quality(struct collector *collector, struct profile *profile)
{
    struct profile_quality *quality = &profile->quality;
    const struct fold *fold = &collector->fold;
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    quality->cpu_samples = fold->sample_count;
    quality->cpu_samples_late = fold->late_count;
    quality->cpu_samples_lost = counter_sum(collector, COUNTER_dropped_samples);
    quality->interval_asked_s = collector->options.period_s;
    quality->interval_reached_s =
        fold->sample_count > 0 ? fold->reached_periods * fold->period_s / (double)fold->sample_count
                               : collector->options.period_s;
    quality->own_cpu_in_program_s = (double)counter_sum(collector, COUNTER_handler_ns) / 1e9 +
                                    (double)counter_sum(collector, COUNTER_hook_ns) / 1e9 +
                                    (double)counter_sum(collector, COUNTER_memory_ns) / 1e9 +
                                    fold->async_own_s + fold->running_async_own_s;
    quality->own_cpu_beside_s = timeval_s(usage.ru_utime) + timeval_s(usage.ru_stime) +
                                collector->copies_cpu_s + gpu_watch_cpu_s(fold->gpu);
    quality->own_memory_mb = own_memory_mb();
}

static void note_count(struct collector *collector, struct profile *profile,
                       enum ring_counter which, const char *sentence)
{
    uint64_t count = counter_sum(collector, which);
    if (count > 0) {
        profile_note(profile, "%llu %s", (unsigned long long)count, sentence);
    }
}

static void note_counters(struct collector *collector, struct profile *profile)
{
    note_count(collector, profile, COUNTER_copies_dropped,
               "samples came too fast to take their native stack along; their kind is less sure.");
    note_count(collector, profile, COUNTER_stacks_truncated,
               "samples met Python in the middle of changing its stack; their outer frames are "
               "missing.");
    note_count(collector, profile, COUNTER_codes_unsent,
               "frames could not be named because the ring was full.");
    note_count(collector, profile, COUNTER_threads_untimed,
               "threads could have no timer (see RLIMIT_SIGPENDING); their samples are late.");
    note_count(collector, profile, COUNTER_interrupted_calls,
               "system calls made past the C library were interrupted by the sampler.");
    note_count(collector, profile, COUNTER_regions_untracked,
               "memory mappings were too many to follow; the footprint may be off by them.");
    note_count(collector, profile, COUNTER_allocators_replaced,
               "times the program put other allocators in the place of ours; what it allocated "
               "then is missing from the lines.");
    if (counter_sum(collector, COUNTER_coroutines_unseen) > 0) {
        profile_note(profile, "Coroutines could not be followed in this Python, or there was no "
                              "room to: what they waited for is missing.");
    }
    if (counter_sum(collector, COUNTER_coroutines_guessed) > 0) {
        profile_note(profile, "Coroutines could not be followed step by step, as another tool has "
                              "changed the interpreter's tables: what they waited for is known "
                              "from looks at up to 500 tasks, one each time that a loop had been "
                              "idle for 10 ms.");
    }
    uint64_t torn = collector->forgotten.torn_count;
    uint64_t bad = collector->forgotten.bad_count;
    for (size_t i = 0; i < collector->process_count; i++) {
        torn += collector->processes[i]->torn_count;
        bad += collector->processes[i]->bad_count;
    }
    if (torn > 0) { // a thread may be in the middle of one: a daemon's, or of a killed process
        profile_note(profile, "%llu records were cut short by the end of their process.",
                     (unsigned long long)torn);
    }
    if (bad > 0) {
        profile_note(profile, "%llu records made no sense and were left out.",
                     (unsigned long long)bad);
    }
}

static void note_interpreters(struct collector *collector, struct profile *profile)
{
    unsigned flags = 0;
    bool walks_all = true;
    const struct process *unknown = NULL;
    for (size_t i = 0; i < collector->process_count; i++) {
        const struct process *process = collector->processes[i];
        flags |= process->interpreter_flags;
        if (process->version_hex && !(process->interpreter_flags & INTERPRETER_HAS_WALK)) {
            walks_all = false;
            unknown = process;
        }
    }
    if (!walks_all) {
        profile_note(profile,
                     "Python %u.%u is not supported%s: its lines are missing, CPU time and native "
                     "stacks are right.",
                     unknown->version_hex >> 24, unknown->version_hex >> 16 & 0xff,
                     unknown->interpreter_flags & INTERPRETER_IS_FREE_THREADED ? " without its GIL"
                                                                               : "");
    } else if (flags & INTERPRETER_IS_UNKNOWN) {
        profile_note(profile, "This Python is newer than this profiler: lines were read as the "
                              "interpreter itself describes them.");
    }
    if (flags & INTERPRETER_HAS_JIT) {
        profile_note(profile, "PYTHON_JIT is on: inside compiled code lines are coarse.");
    }
    if (flags & INTERPRETER_HOOK_STAYS) {
        profile_note(profile, "The start-up audit hook could not be taken out again: audited calls "
                              "cost some 50 ns more.");
    }
}

static void note_open_waits(struct collector *collector, struct profile *profile)
{
    const struct fold *fold = &collector->fold;
    if (fold->refused_waits > 0) {
        profile_note(profile,
                     "%llu waits had not ended when their process did, and the system did not "
                     "let us look where they were: they are on the line where the thread was last "
                     "seen.",
                     (unsigned long long)fold->refused_waits);
    }
    uint64_t without_slot = counter_sum(collector, COUNTER_threads_without_slot);
    if (fold->open_wait_count > 0 && without_slot > 0) {
        profile_note(profile,
                     "Of waits that had not ended when their process did, those of %llu threads "
                     "beyond the %u that are watched are missing.",
                     (unsigned long long)without_slot, WAIT_SLOT_COUNT);
    }
}

static void note_gpu_waits(const struct fold *fold, struct profile *profile)
{
    if (fold->stackless_gpu > 0) {
        profile_note(profile,
                     "%llu samples were in a GPU's library, without native stacks (--no-stacks): "
                     "whether they waited for the GPU is not known, and such waiting is missing.",
                     (unsigned long long)fold->stackless_gpu);
    }
}

static void note_stops(struct collector *collector, uint64_t end_ns, struct profile *profile)
{
    double stopped_ns = pause_list_before(&collector->fold.stops, end_ns);
    if (stopped_ns > 0) {
        profile_note(profile, "The program was stopped for %.1f s, which are not counted.",
                     stopped_ns / 1e9);
    }
}

static double clocks_s(const struct collector *collector)
{
    double sum_s = collector->forgotten.true_s;
    for (size_t i = 0; i < collector->process_count; i++) {
        sum_s += collector->processes[i]->true_s;
    }
    return sum_s;
}

// What the kernel charged the tree beyond what its Python processes told before their end: their
// own ends, and programs that are not Python.
static void fill_kernel_says(struct collector *collector, struct profile *profile, double unseen_s)
{
    if (!collector->has_ended) {
        profile->cpu_kernel_says_s = profile_times_cpu_s(&profile->totals);
        return;
    }
    double system_s = timeval_s(collector->ending.usage.ru_stime);
    double kernel_s = timeval_s(collector->ending.usage.ru_utime) + system_s;
    double told_s = profile_times_cpu_s(&profile->totals);
    kernel_s = fmax(kernel_s, clocks_s(collector)); // some are waited for by nobody of the tree
    profile->cpu_kernel_says_s = kernel_s;
    double rest_s = kernel_s - told_s - unseen_s;
    double end_limit_s =
        0.05 * (double)(collector->process_count + collector->forgotten.count) + 0.02 * told_s;
    if (rest_s <= 0) {
        return;
    }
    if (rest_s <= end_limit_s) {
        double rest_system_s = fmin(rest_s, fmax(0, system_s - profile->totals.system_s));
        profile->totals.system_s += rest_system_s;
        profile->totals.native_s += rest_s - rest_system_s;
        profile->quality.cpu_unattributed_s += rest_s;
    } else {
        profile_note(profile,
                     "%.2f s of CPU were used by programs started by this one that were not "
                     "profiled.",
                     rest_s);
    }
}

// Samples are timed since the run's start; the profile has them on the clock of its start.
static void place_sample_times(const struct collector *collector, struct profile *profile)
{
    double start_s = (double)collector->options.start_ns / 1e9;
    for (size_t i = 0; i < profile->file_count; i++) {
        for (size_t j = 0; j < profile->files[i].line_count; j++) {
            struct profile_line *line = &profile->files[i].lines[j];
            for (size_t k = 0; k < line->sample_time_count; k++) {
                line->sample_times_s[k] += start_s;
            }
        }
    }
}

static void learn_names(struct collector *collector)
{
    const struct image *last = NULL;
    for (size_t i = 0; i < collector->process_count; i++) {
        const struct kind_roles *roles = &collector->processes[i]->roles;
        if (roles->entry_points && roles->interpreter != last) {
            stack_table_learn(collector->fold.stacks, collector->symbols, roles->interpreter,
                              roles->entry_points);
            last = roles->interpreter;
        }
    }
}

static struct profile_ending ending(const struct collector *collector, const struct process *root)
{
    if (collector->has_ended) {
        return process_list_ending(collector->ending.wait_status);
    }
    return root ? process_list_ending_of(collector, root) : (struct profile_ending){"running", 0};
}

void report_fill(struct collector *collector, struct profile *profile)
{
    uint64_t end_ns = collector->has_ended ? collector->ending.end_ns : now_ns();
    double end_s = fold_seconds(&collector->fold, end_ns);
    const struct process *root = root_of(collector);
    if (root && root->runs_on) {
        end_s = root->end_s;
    }
    double start_s = root_start_s(collector);
    profile->elapsed_s = end_s - start_s;
    profile->has_async = collector->options.has_async;
    profile->has_virtual_time = collector->options.has_virtual_time;
    profile->ended = ending(collector, root);
    if (root && root->version_hex) {
        profile->python_version = process_list_version(root->version_hex);
    }
    if (root && root->threads.count > 0) {
        profile->main_thread_id = root->threads.list[0].python_id;
    }
    if (!collector->options.has_virtual_time) {
        idle_share(collector->fold.idle, start_s, end_s, add_idle, collector->fold.tally);
    }
    double unseen_s = tally_unseen_s(collector->fold.tally);
    tally_fill(collector->fold.tally, profile);
    place_sample_times(collector, profile);
    learn_names(collector);
    stack_table_fill(collector->fold.stacks, profile, collector->symbols, helper_native,
                     collector->fold.tally);
    fold_async_fill(&collector->fold, profile);
    if (collector->options.has_memory) {
        fill_memory(collector, profile, end_s);
    }
    if (collector->fold.gpu) {
        gpu_watch_fill(collector->fold.gpu, profile);
    }
    process_list_fill(collector, profile);
    fill_kernel_says(collector, profile, unseen_s);
    focus_limit(&collector->fold.focus, profile);
    fill_quality(collector, profile);
    note_interpreters(collector, profile);
    note_counters(collector, profile);
    note_open_waits(collector, profile);
    note_gpu_waits(&collector->fold, profile);
    note_stops(collector, end_ns, profile);
    if (collector->process_count == 0) {
        profile_note(profile, "No Python process of this run could be profiled: the program is "
                              "not Python, or LD_PRELOAD does not reach it (setuid, static).");
    }
}
