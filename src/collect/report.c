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

static double now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static struct process *root_of(struct collector *collector)
{
    return process_find(collector->processes, collector->process_count,
                        collector->options.root_pid);
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

static char *version_text(uint32_t hex)
{
    char text[32];
    snprintf(text, sizeof text, "%u.%u.%u", hex >> 24, hex >> 16 & 0xff, hex >> 8 & 0xff);
    return mem_copy_text(text);
}

static struct profile_ending ending_of(int wait_status)
{
    if (WIFSIGNALED(wait_status)) {
        return (struct profile_ending){"signal", WTERMSIG(wait_status)};
    }
    return (struct profile_ending){"exit", WEXITSTATUS(wait_status)};
}

static void fill_process(struct collector *collector, const struct process *process,
                         struct profile *profile)
{
    profile->processes = mem_grow(profile->processes, profile->process_count,
                                  &profile->process_capacity, sizeof *profile->processes);
    struct profile_process *out = &profile->processes[profile->process_count++];
    *out = (struct profile_process){
        .pid = process->pid,
        .parent_pid = process->parent_pid,
        .start_s = fmax(0, process->start_s),
        .end_s = process->is_gone ? fmax(0, process->end_s) : profile->elapsed_s,
        .ended = {process->is_gone ? "exit" : "running", 0},
        .cpu_s = process->true_s,
        .peak_rss_mb = process->peak_rss_mb,
        .peak_footprint_mb = process->level.peak_bytes / PROFILE_MB,
        .is_profiled = true,
    };
    if (process->version_hex) {
        out->python_version = version_text(process->version_hex);
    }
    if (process->pid == collector->options.root_pid && collector->has_ended) {
        out->ended = ending_of(collector->ending.wait_status);
        out->peak_rss_mb = (double)collector->ending.usage.ru_maxrss / 1024;
    }
    out->command = mem_alloc((process->command_count + 1) * sizeof *out->command);
    for (size_t i = 0; i < process->command_count; i++) {
        out->command[out->command_count++] = mem_copy_text(process->command[i]);
    }
}

static void fill_thread(const struct process *process, const struct thread *thread,
                        struct profile *profile)
{
    profile->threads = mem_grow(profile->threads, profile->thread_count, &profile->thread_capacity,
                                sizeof *profile->threads);
    struct profile_thread *out = &profile->threads[profile->thread_count++];
    char name[64];
    if (thread->tid == process->pid) {
        snprintf(name, sizeof name, "MainThread");
    } else {
        snprintf(name, sizeof name, "Thread %d", thread->tid);
    }
    *out = (struct profile_thread){
        .pid = process->pid,
        .thread_id = thread->python_id ? thread->python_id : (uint64_t)thread->tid,
        .name = mem_copy_text(name),
        .start_s = fmax(0, thread->start_s),
        .end_s = thread->has_ended ? fmax(0, thread->end_s) : profile->elapsed_s,
        .times = thread->times,
    };
    // Short of a whole period a thread's samples are chance: its own clock knows.
    double scale =
        thread->has_ended && thread->sampled_s > 0 ? thread->true_s / thread->sampled_s : 1;
    out->times.python_s *= scale;
    out->times.native_s *= scale;
    out->times.system_s *= scale;
    if (thread->has_ended && thread->sampled_s <= 0) {
        out->times.native_s = thread->true_s - thread->true_system_s;
        out->times.system_s = thread->true_system_s;
    }
}

static void note_left_out(struct profile *profile, size_t count, const char *what)
{
    if (count > 0) {
        profile_note(profile, "%zu more %s are counted in the lines but not listed.", count, what);
    }
}

static void fill_lists(struct collector *collector, struct profile *profile)
{
    const struct process_sum *forgotten = &collector->forgotten;
    size_t threads_left_out = forgotten->thread_count;
    size_t processes_left_out = forgotten->count;
    profile->ready_s += forgotten->ready_s;
    for (size_t i = 0; i < collector->process_count; i++) {
        const struct process *process = collector->processes[i];
        const struct thread_table *threads = &process->threads;
        if (profile->process_count < PROCESSES_LISTED) {
            fill_process(collector, process, profile);
        } else {
            processes_left_out++;
        }
        profile->ready_s += thread_table_ready_s(threads);
        threads_left_out += thread_table_gone_count(threads);
        for (size_t j = 0; j < threads->count; j++) {
            if (profile->thread_count < THREADS_LISTED) {
                fill_thread(process, &threads->list[j], profile);
            } else {
                threads_left_out++;
            }
        }
    }
    note_left_out(profile, threads_left_out, "threads");
    note_left_out(profile, processes_left_out, "processes");
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
    memory_tally_fill(fold->memory, profile, end_s);
    stack_table_fill_memory(fold->memory_stacks, profile, collector->symbols);
    profile->quality.memory_samples = fold->allocation_count;
    profile->quality.memory_samples_lost = counter_sum(collector, COUNTER_dropped_allocations);
}

static double own_memory_mb(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)usage.ru_maxrss / 1024;
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
                                    (double)counter_sum(collector, COUNTER_memory_ns) / 1e9;
    quality->own_cpu_beside_s = timeval_s(usage.ru_utime) + timeval_s(usage.ru_stime);
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
    uint64_t torn = collector->forgotten.torn_count;
    uint64_t bad = collector->forgotten.bad_count;
    for (size_t i = 0; i < collector->process_count; i++) {
        torn += collector->processes[i]->torn_count;
        bad += collector->processes[i]->bad_count;
    }
    if (torn + bad > 0) {
        profile_note(profile, "%llu records were half-written or made no sense and were left out.",
                     (unsigned long long)(torn + bad));
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

static void note_refusals(struct collector *collector, struct profile *profile)
{
    uint64_t no_room = atomic_load(&collector->control->refusals[REFUSAL_no_room]);
    if (no_room > 0) {
        profile_note(profile, "%llu processes were not profiled: no room for their samples in %s.",
                     (unsigned long long)no_room, collector->run_dir);
    }
}

// What the kernel charged the tree beyond what its Python processes told before their end: their
// own ends, and programs that are not Python.
static void fill_kernel_says(struct collector *collector, struct profile *profile)
{
    if (!collector->has_ended) {
        profile->cpu_kernel_says_s = profile_times_cpu_s(&profile->totals);
        return;
    }
    double system_s = timeval_s(collector->ending.usage.ru_stime);
    double kernel_s = timeval_s(collector->ending.usage.ru_utime) + system_s;
    double told_s = profile_times_cpu_s(&profile->totals);
    profile->cpu_kernel_says_s = kernel_s;
    double rest_s = kernel_s - told_s;
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

void report_fill(struct collector *collector, struct profile *profile)
{
    double end = collector->has_ended ? (double)collector->ending.end_ns : now_ns();
    double end_s = (end - (double)collector->options.start_ns) / 1e9;
    const struct process *root = root_of(collector);
    // A wrapper that becomes Python after a while was not profiled until then.
    double start_s = root ? fmax(0, root->start_s) : 0;
    profile->elapsed_s = end_s - start_s;
    profile->has_virtual_time = collector->options.has_virtual_time;
    profile->ended = collector->has_ended ? ending_of(collector->ending.wait_status)
                                          : (struct profile_ending){"running", 0};
    if (root && root->version_hex) {
        profile->python_version = version_text(root->version_hex);
    }
    if (root && root->threads.count > 0) {
        profile->main_thread_id = root->threads.list[0].python_id;
    }
    if (!collector->options.has_virtual_time) {
        idle_share(collector->fold.idle, start_s, end_s, add_idle, collector->fold.tally);
    }
    tally_fill(collector->fold.tally, profile);
    learn_names(collector);
    stack_table_fill(collector->fold.stacks, profile, collector->symbols, helper_native,
                     collector->fold.tally);
    if (collector->options.has_memory) {
        fill_memory(collector, profile, end_s);
    }
    fill_lists(collector, profile);
    fill_kernel_says(collector, profile);
    fill_quality(collector, profile);
    note_interpreters(collector, profile);
    note_counters(collector, profile);
    note_refusals(collector, profile);
    note_open_waits(collector, profile);
    if (collector->process_count == 0) {
        profile_note(profile, "No Python process of this run could be profiled: the program is "
                              "not Python, or LD_PRELOAD does not reach it (setuid, static).");
    }
}
