// SPDX-License-Identifier: Apache-2.0
#include "collect/collector.h"

#include <dirent.h>
#include <math.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/mem.h"
#include "collect/fold.h"
#include "collect/report.h"
#include "collect/run.h"
#include "wire/control.h"

#define PAUSE_MIN_MS  5u
#define PAUSE_MAX_MS  50u
#define BUSY_PERCENT  10u // of a ring, between two looks: look twice as often
#define PROCESS_LIMIT 100000u

static bool is_ours(const void *context, const char *path)
{
    return filter_accepts(context, path);
}

static double usable_cores(void)
{
    cpu_set_t set;
    return sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
}

bool collector_new(struct collector **collector, const struct collector_options *options,
                   struct error *err)
{
    struct control *control = control_open(options->run_dir);
    if (!control) {
        return error_set(err, "the run's directory %s has no control page", options->run_dir);
    }
    struct collector *made = mem_alloc(sizeof *made);
    made->options = *options;
    made->run_dir = mem_copy_text(options->run_dir);
    made->control = control;
    made->images = image_cache_new();
    made->symbols = symbol_cache_new(NULL);
    made->pause_ms = PAUSE_MIN_MS;
    made->open_waits = (struct open_wait_reader){.is_ours = is_ours, .context = options->filter};
    made->fold = (struct fold){
        .tally = tally_new(options->period_s),
        .stacks = stack_table_new(),
        .idle = idle_new(0),
        .period_s = options->period_s,
        .start_ns = options->start_ns,
        .root_pid = options->root_pid,
        .cores = usable_cores(),
    };
    *collector = made;
    return true;
}

void collector_free(struct collector *collector)
{
    for (size_t i = 0; i < collector->process_count; i++) {
        process_free(collector->processes[i]);
    }
    free(collector->processes);
    unwinder_clear(&collector->fold.unwinder);
    tally_free(collector->fold.tally);
    stack_table_free(collector->fold.stacks);
    idle_free(collector->fold.idle);
    symbol_cache_free(collector->symbols);
    image_cache_free(collector->images);
    control_close(collector->control);
    free(collector->run_dir);
    free(collector);
}

static struct process *parent_of(struct collector *collector, const void *record, size_t len)
{
    const struct record_process *intro = record;
    return len < sizeof *intro
               ? NULL
               : process_find(collector->processes, collector->process_count, intro->parent_pid);
}

static bool take_record(struct collector *collector, struct process *process,
                        const struct ring_view *view)
{
    struct fold *fold = &collector->fold;
    switch (view->type) {
    case RECORD_PROCESS:
        if (view->len >= sizeof(struct record_process)) {
            const struct record_process *intro = view->record;
            if (!fold_is_time(fold, intro->time_ns)) {
                return false;
            }
            process->start_s = fold_seconds(fold, intro->time_ns);
        }
        return process_take_introduction(process, view->record, view->len,
                                         parent_of(collector, view->record, view->len));
    case RECORD_INTERPRETER:
        return process_take_interpreter(process, view->record, view->len);
    case RECORD_MODULE:
        return process_take_module(process, view->record, view->len);
    case RECORD_CODE:
        return process_take_code(process, view->record, view->len, is_ours,
                                 collector->options.filter);
    case RECORD_THREAD_BEGIN:
        return fold_thread_begin(fold, process, view->record, view->len);
    case RECORD_THREAD_END:
        return fold_thread_end(fold, process, view->record, view->len);
    case RECORD_PROCESS_END:
        return fold_process_end(fold, process, view->record, view->len);
    case RECORD_SAMPLE:
        return fold_sample(fold, process, view->record, view->len);
    case RECORD_WAIT:
        return fold_wait(fold, process, view->record, view->len);
    default:
        return false;
    }
}

// The clock of another process, exact to the nanosecond, also of one that has ended and is not
// waited for yet.
static void read_cpu_clock(struct process *process)
{
    clockid_t clock = (clockid_t)((~(unsigned)process->pid << 3) | 2);
    struct timespec time;
    if (!process->has_end && clock_gettime(clock, &time) == 0) {
        double cpu_s = (double)time.tv_sec + (double)time.tv_nsec / 1e9 - process->foreign_s;
        process->true_s = fmax(process->true_s, cpu_s);
    }
}

static bool has_ended(const struct process *process)
{
    if (process->pidfd >= 0) {
        struct pollfd poll_entry = {.fd = process->pidfd, .events = POLLIN};
        return poll(&poll_entry, 1, 0) > 0;
    }
    return kill(process->pid, 0) != 0;
}

static uint64_t clock_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static void finish_process(struct collector *collector, struct process *process)
{
    uint64_t now_ns = clock_ns();
    if (!process->has_end) {
        process->end_s = fold_seconds(&collector->fold, now_ns);
    }
    open_wait_settle(&collector->fold, process, now_ns);
    for (size_t i = 0; i < RING_COUNTER_COUNT; i++) {
        process->counters[i] = atomic_load(&process->ring.header->counters[i]);
    }
    fold_settle(&collector->fold, process, true);
    process_close_ring(process);
    process->is_gone = true;
}

static unsigned drain_process(struct collector *collector, struct process *process)
{
    unsigned fill = ring_fill_percent(&process->ring);
    // Asked before the last look: what it wrote before its end is then all read.
    bool is_gone = has_ended(process);
    read_cpu_clock(process);
    while (ring_next(&process->ring, is_gone, &process->view, &process->torn_count)) {
        if (!take_record(collector, process, &process->view)) {
            process->bad_count++;
        }
    }
    if (is_gone) {
        finish_process(collector, process);
    } else {
        open_wait_look(&collector->open_waits, &collector->fold, process, clock_ns());
    }
    return fill;
}

static void add_process(struct collector *collector, int pid, const char *name)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", collector->run_dir, name);
    struct ring ring = {0};
    if (collector->process_count >= PROCESS_LIMIT || ring_open(&ring, path) != RING_OPENED) {
        return;
    }
    struct process *process = process_new(pid, collector->images);
    process->ring = ring;
    process->ring_path = mem_copy_text(path);
    process->pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
    collector->processes = mem_grow(collector->processes, collector->process_count,
                                    &collector->process_capacity, sizeof(struct process *));
    collector->processes[collector->process_count++] = process;
}

static bool is_known(const struct collector *collector, const char *name)
{
    for (size_t i = collector->process_count; i > 0; i--) {
        const char *path = collector->processes[i - 1]->ring_path;
        const char *slash = path ? strrchr(path, '/') : NULL;
        if (slash && strcmp(slash + 1, name) == 0) {
            return true;
        }
    }
    return false;
}

// New rings are files named by a process number.
static void find_rings(struct collector *collector)
{
    DIR *directory = opendir(collector->run_dir);
    if (!directory) {
        return;
    }
    for (struct dirent *entry = readdir(directory); entry; entry = readdir(directory)) {
        char *end;
        long pid = strtol(entry->d_name, &end, 10);
        if (pid > 0 && *end == '.' && !is_known(collector, entry->d_name)) {
            add_process(collector, (int)pid, entry->d_name);
        }
    }
    closedir(directory);
}

unsigned collector_drain(struct collector *collector)
{
    unsigned fullest = 0;
    find_rings(collector);
    for (size_t i = 0; i < collector->process_count; i++) {
        struct process *process = collector->processes[i];
        if (!process->is_gone) {
            unsigned fill = drain_process(collector, process);
            fullest = fill > fullest ? fill : fullest;
        }
    }
    if (fullest > BUSY_PERCENT && collector->pause_ms > PAUSE_MIN_MS) {
        collector->pause_ms /= 2;
    } else if (fullest <= BUSY_PERCENT / 2 && collector->pause_ms < PAUSE_MAX_MS) {
        collector->pause_ms++;
    }
    return collector->pause_ms;
}

void collector_root_ended(struct collector *collector, const struct collector_ending *ending)
{
    collector->has_ended = true;
    collector->ending = *ending;
    struct process *root =
        process_find(collector->processes, collector->process_count, collector->options.root_pid);
    if (root && !root->has_end) {
        root->true_s = fmax(root->true_s, ending->cpu_s - root->foreign_s);
    }
}

void collector_fill(struct collector *collector, struct profile *profile)
{
    for (size_t i = 0; i < collector->process_count; i++) {
        struct process *process = collector->processes[i];
        if (process->is_gone) {
            continue;
        }
        if (collector->has_ended) { // and this one has outlived the root, but not the profile
            open_wait_settle(&collector->fold, process, collector->ending.end_ns);
        }
        fold_settle(&collector->fold, process, false);
    }
    report_fill(collector, profile);
}
