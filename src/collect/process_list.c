// SPDX-License-Identifier: Apache-2.0
#include "collect/process_list.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>

#include "base/mem.h"

#define MAIN_THREAD "MainThread"

char *process_list_version(uint32_t hex)
{
    char text[32];
    snprintf(text, sizeof text, "%u.%u.%u", hex >> 24, hex >> 16 & 0xff, hex >> 8 & 0xff);
    return mem_copy_text(text);
}

struct profile_ending process_list_ending(int wait_status)
{
    if (WIFSIGNALED(wait_status)) {
        return (struct profile_ending){"signal", WTERMSIG(wait_status)};
    }
    return (struct profile_ending){"exit", WEXITSTATUS(wait_status)};
}

static double now_s(const struct collector *collector)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9 -
           (double)collector->options.start_ns / 1e9;
}

// Who ended without a word was killed; by which signal nobody may know any more.
struct profile_ending process_list_ending_of(const struct collector *collector,
                                             const struct process *process)
{
    if (process->pid == collector->options.root_pid && collector->has_ended) {
        return process_list_ending(collector->ending.wait_status);
    }
    if (!process->is_gone || process->runs_on) {
        return (struct profile_ending){"running", 0};
    }
    if (process->has_wait_status) {
        return process_list_ending(process->wait_status);
    }
    return (struct profile_ending){process->has_end ? "exit" : "signal", 0};
}

// The entry of that process, its latest where the number was used again; NULL.
static struct profile_process *find_entry(struct profile *profile, int pid)
{
    for (size_t i = profile->process_count; i > 0; i--) {
        if (profile->processes[i - 1].pid == pid) {
            return &profile->processes[i - 1];
        }
    }
    return NULL;
}

static struct profile_process *add_entry(struct profile *profile)
{
    profile->processes = mem_grow(profile->processes, profile->process_count,
                                  &profile->process_capacity, sizeof *profile->processes);
    struct profile_process *entry = &profile->processes[profile->process_count++];
    *entry = (struct profile_process){0};
    return entry;
}

static void set_command(struct profile_process *entry, char *const *words, size_t count)
{
    for (size_t i = 0; i < entry->command_count; i++) {
        free(entry->command[i]);
    }
    free(entry->command);
    entry->command = mem_alloc((count + 1) * sizeof *entry->command);
    entry->command_count = count;
    for (size_t i = 0; i < count; i++) {
        entry->command[i] = mem_copy_text(words[i]);
    }
}

// Adds what the process was as this program to what it was before.
static void fill_entry(const struct collector *collector, const struct process *process,
                       struct profile_process *entry)
{
    entry->end_s = process->is_gone ? fmax(0, process->end_s) : now_s(collector);
    entry->ended = process_list_ending_of(collector, process);
    entry->cpu_s += process->true_s;
    entry->peak_rss_mb = fmax(entry->peak_rss_mb, process->peak_rss_mb);
    entry->peak_footprint_mb =
        fmax(entry->peak_footprint_mb, process->level.peak_bytes / PROFILE_MB);
    if (process->version_hex) {
        free(entry->python_version);
        entry->python_version = process_list_version(process->version_hex);
    }
    if (process->pid == collector->options.root_pid && collector->has_ended) {
        entry->end_s = (double)(collector->ending.end_ns - collector->options.start_ns) / 1e9;
        entry->peak_rss_mb = (double)collector->ending.usage.ru_maxrss / 1024;
    }
    set_command(entry, process->command, process->command_count);
}

static void fill_process(const struct collector *collector, const struct process *process,
                         struct profile *profile)
{
    struct profile_process *entry =
        process->program_number > 0 ? find_entry(profile, process->pid) : NULL;
    if (!entry) {
        entry = add_entry(profile);
        entry->pid = process->pid;
        entry->parent_pid = process->parent_pid;
        entry->start_s = fmax(0, process->start_s);
        entry->is_profiled = true;
    }
    fill_entry(collector, process, entry);
}

static void add_times(struct profile_thread *out, const struct thread *thread)
{
    struct profile_times times = thread->times;
    // Short of a whole period a thread's samples are chance: its own clock knows.
    double scale =
        thread->has_ended && thread->sampled_s > 0 ? thread->true_s / thread->sampled_s : 1;
    times.python_s *= scale;
    times.native_s *= scale;
    times.system_s *= scale;
    if (thread->has_ended && thread->sampled_s <= 0) {
        times.native_s = thread->true_s - thread->true_system_s;
        times.system_s = thread->true_system_s;
    }
    profile_times_add(&out->times, &times);
}

// The main thread lives on in the next program.
static struct profile_thread *find_main(struct profile *profile, const struct process *process,
                                        const struct thread *thread)
{
    if (thread->tid != process->pid || process->program_number == 0) {
        return NULL;
    }
    for (size_t i = profile->thread_count; i > 0; i--) {
        struct profile_thread *out = &profile->threads[i - 1];
        if (out->pid == process->pid && strcmp(out->name, MAIN_THREAD) == 0) {
            return out;
        }
    }
    return NULL;
}

static struct profile_thread *add_thread(struct profile *profile, const struct process *process,
                                         const struct thread *thread)
{
    profile->threads = mem_grow(profile->threads, profile->thread_count, &profile->thread_capacity,
                                sizeof *profile->threads);
    struct profile_thread *out = &profile->threads[profile->thread_count++];
    char name[64];
    if (thread->tid == process->pid) {
        snprintf(name, sizeof name, MAIN_THREAD);
    } else if (thread->name[0]) {
        snprintf(name, sizeof name, "%s", thread->name);
    } else {
        snprintf(name, sizeof name, "Thread %d", thread->tid);
    }
    *out = (struct profile_thread){
        .pid = process->pid,
        .name = mem_copy_text(name),
        .start_s = fmax(0, thread->start_s),
    };
    return out;
}

static void fill_thread(const struct collector *collector, const struct process *process,
                        const struct thread *thread, struct profile *profile)
{
    struct profile_thread *out = find_main(profile, process, thread);
    out = out ? out : add_thread(profile, process, thread);
    out->thread_id = thread->python_id ? thread->python_id : (uint64_t)thread->tid;
    out->end_s = thread->has_ended ? fmax(0, thread->end_s) : now_s(collector);
    add_times(out, thread);
}

// Whether it was a Python for no longer than it took to start something else.
static bool is_stepping_stone(const struct collector *collector, size_t index)
{
    const struct process *process = collector->processes[index];
    if (!process->is_forked || !process->has_become_another) {
        return false;
    }
    for (size_t i = index + 1; i < collector->process_count; i++) {
        const struct process *next = collector->processes[i];
        if (next->pid == process->pid) {
            return next->program_number != process->program_number + 1;
        }
    }
    return true;
}

static void fill_outsider(const struct collector *collector, const struct outsider *outsider,
                          struct profile *profile)
{
    struct profile_process *entry = find_entry(profile, outsider->pid);
    double start_s = ((double)outsider->start_ns - (double)collector->options.start_ns) / 1e9;
    const char *why = roll_sentence(outsider->state);
    if (entry && entry->is_profiled && entry->end_s >= start_s) {
        profile_note(profile, "Process %d was profiled until it became %s: %s.", outsider->pid,
                     outsider->command_count > 0 ? outsider->command[0] : "another program", why);
        return;
    }
    entry = add_entry(profile);
    entry->pid = outsider->pid;
    entry->parent_pid = outsider->parent_pid;
    entry->start_s = fmax(0, start_s);
    entry->end_s = outsider->is_gone
                       ? ((double)outsider->end_ns - (double)collector->options.start_ns) / 1e9
                       : now_s(collector);
    entry->ended = !outsider->is_gone          ? (struct profile_ending){"running", 0}
                   : outsider->has_wait_status ? process_list_ending(outsider->wait_status)
                                               : (struct profile_ending){"unknown", 0};
    entry->cpu_s = outsider->cpu_s;
    entry->why_not = mem_copy_text(why);
    set_command(entry, outsider->command, outsider->command_count);
}

static void note_left_out(struct profile *profile, size_t count, const char *what)
{
    if (count > 0) {
        profile_note(profile, "%zu more %s are counted in the lines but not listed.", count, what);
    }
}

static size_t fill_threads(const struct collector *collector, const struct process *process,
                           struct profile *profile)
{
    const struct thread_table *threads = &process->threads;
    size_t left_out = thread_table_gone_count(threads);
    for (size_t i = 0; i < threads->count; i++) {
        if (profile->thread_count < THREADS_LISTED) {
            fill_thread(collector, process, &threads->list[i], profile);
        } else {
            left_out++;
        }
    }
    return left_out;
}

static void fill_outsiders(const struct collector *collector, struct profile *profile)
{
    const struct roll_call *call = &collector->roll_call;
    for (size_t i = 0; i < call->count; i++) {
        fill_outsider(collector, &call->list[i], profile);
    }
    size_t unlisted =
        call->unlisted_count + (size_t)atomic_load(&collector->control->roll.left_out);
    if (unlisted > 0) {
        profile_note(profile, "%zu more processes could not be profiled and are not listed.",
                     unlisted);
    }
}

void process_list_fill(struct collector *collector, struct profile *profile)
{
    const struct process_sum *forgotten = &collector->forgotten;
    size_t threads_left_out = forgotten->thread_count;
    size_t processes_left_out = forgotten->count;
    profile->ready_s += forgotten->ready_s;
    for (size_t i = 0; i < collector->process_count; i++) {
        const struct process *process = collector->processes[i];
        profile->ready_s += thread_table_ready_s(&process->threads);
        if (is_stepping_stone(collector, i)) {
            continue;
        }
        if (profile->process_count < PROCESSES_LISTED) {
            fill_process(collector, process, profile);
        } else {
            processes_left_out++;
        }
        threads_left_out += fill_threads(collector, process, profile);
    }
    fill_outsiders(collector, profile);
    note_left_out(profile, threads_left_out, "threads");
    note_left_out(profile, processes_left_out, "processes");
}
