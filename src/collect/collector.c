// SPDX-License-Identifier: Apache-2.0
#include "collect/collector.h"

#include <dirent.h>
#include <limits.h>
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
#include "collect/fold_memory.h"
#include "collect/report.h"
#include "collect/run.h"
#include "collect/settle.h"
#include "wire/control.h"

#define PAUSE_MIN_MS  2u
#define PAUSE_MAX_MS  50u
#define FILL_PART     4u     // a ring is to be no fuller than this part between two looks
#define PROCESS_LIMIT 16384u // at a time
#define NS_PER_MS     1000000u

static bool is_ours(const void *context, const char *path)
{
    return filter_accepts(context, path);
}

static double usable_cores(void)
{
    cpu_set_t set;
    return sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
}

// Each process and each mapped file of the program's is an open file here. The program has been
// started by now and keeps the limit that it was given.
static void allow_many_files(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < limit.rlim_max) {
        limit.rlim_cur = limit.rlim_max;
        setrlimit(RLIMIT_NOFILE, &limit);
    }
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
    made->codes = code_table_new();
    made->pause_ms = PAUSE_MIN_MS;
    made->open_waits = (struct open_wait_reader){.is_ours = is_ours, .context = options->filter};
    made->fold = (struct fold){
        .tally = tally_new(options->period_s),
        .stacks = stack_table_new(),
        .idle = idle_new(0),
        .memory = memory_tally_new(),
        .memory_stacks = stack_table_new(),
        .period_s = options->period_s,
        .start_ns = options->start_ns,
        .root_pid = options->root_pid,
        .has_stacks = options->has_stacks,
        .has_all = options->filter->has_all,
        .cores = usable_cores(),
    };
    folder_watch_open(&made->watch, made->run_dir);
    made->has_unready_ring = true; // what is there already is no news
    allow_many_files();
    *collector = made;
    return true;
}

void collector_free(struct collector *collector)
{
    for (size_t i = 0; i < collector->process_count; i++) {
        process_free(collector->processes[i]);
    }
    free(collector->processes);
    free(collector->record);
    code_table_free(collector->codes);
    unwinder_clear(&collector->fold.unwinder);
    tally_free(collector->fold.tally);
    stack_table_free(collector->fold.stacks);
    idle_free(collector->fold.idle);
    memory_tally_free(collector->fold.memory);
    stack_table_free(collector->fold.memory_stacks);
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
    case RECORD_ALLOCATION:
        return fold_allocation(fold, process, view->record, view->len);
    case RECORD_BLOCK:
        return fold_block(fold, process, view->record, view->len);
    case RECORD_FOOTPRINT:
        return fold_footprint(fold, process, view->record, view->len);
    case RECORD_COPY:
        return fold_copy(fold, process, view->record, view->len);
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
    settle_process(&collector->fold, process, true);
    fold_memory_end(&collector->fold, process, process->end_s);
    process_close(process);
    thread_table_close(&process->threads, THREADS_LISTED - collector->gone_thread_count);
    collector->gone_thread_count += process->threads.count;
    collector->gone_count++;
    process->is_gone = true;
}

// Keeps sums of one more process than are listed.
static void forget_process(struct collector *collector, size_t index)
{
    struct process *process = collector->processes[index];
    struct process_sum *sum = &collector->forgotten;
    sum->count++;
    sum->thread_count += process->threads.count + thread_table_gone_count(&process->threads);
    sum->ready_s += thread_table_ready_s(&process->threads);
    sum->torn_count += process->torn_count;
    sum->bad_count += process->bad_count;
    for (size_t i = 0; i < RING_COUNTER_COUNT; i++) {
        sum->counters[i] += process->counters[i];
    }
    collector->gone_count--;
    collector->gone_thread_count -= process->threads.count;
    process_free(process);
    collector->process_count--;
    memmove(collector->processes + index, collector->processes + index + 1,
            (collector->process_count - index) * sizeof *collector->processes);
}

// After all have been read: what a child inherits, its parent may have left just now.
static void finish_processes(struct collector *collector)
{
    for (size_t i = 0; i < collector->process_count; i++) {
        struct process *process = collector->processes[i];
        if (!process->is_ending || process->is_gone) {
            continue;
        }
        finish_process(collector, process);
        if (collector->gone_count > PROCESSES_LISTED &&
            process->pid != collector->options.root_pid) {
            forget_process(collector, i--);
        }
    }
}

// What is looked at must stay as it was checked, whatever the program does to its ring.
static struct ring_view copy_record(struct collector *collector, const struct ring_view *view)
{
    if (view->len > collector->record_capacity) {
        collector->record_capacity = view->len;
        collector->record = mem_resize(collector->record, view->len);
    }
    memcpy(collector->record, view->record, view->len);
    return (struct ring_view){collector->record, view->type, view->len};
}

// Returns how many bytes there were. A ring that is filled as fast as it is read does not keep the
// others waiting.
// Symbol tables are read once there is something to name, while the program runs: its end should
// not have to wait for them.
static void warm_symbols(struct collector *collector, const struct process *process)
{
    struct image *interpreter = process->roles.interpreter;
    if (process->roles.entry_points && interpreter != collector->warm_image) {
        symbol_name(collector->symbols, interpreter, 0);
        collector->warm_image = interpreter;
    }
}

static uint64_t drain_process(struct collector *collector, struct process *process)
{
    uint64_t bytes = 0;
    // Asked before the last look: what it wrote before its end is then all read.
    process->is_ending = has_ended(process);
    read_cpu_clock(process);
    while ((bytes < process->ring.size || process->is_ending) &&
           ring_next(&process->ring, process->is_ending, &process->view, &process->torn_count)) {
        struct ring_view copy = copy_record(collector, &process->view);
        bytes += copy.len;
        if (!take_record(collector, process, &copy)) {
            process->bad_count++;
        }
    }
    if (!process->is_ending) {
        warm_symbols(collector, process);
        open_wait_look(&collector->open_waits, &collector->fold, process, clock_ns());
    }
    return bytes;
}

static void add_process(struct collector *collector, int pid, const char *name)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", collector->run_dir, name);
    struct ring ring = {0};
    enum ring_open_result result = ring_open(&ring, path);
    collector->has_unready_ring |= result == RING_NOT_READY;
    if (result != RING_OPENED) {
        return;
    }
    struct process *process = process_new(pid, collector->images, collector->codes);
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

static int compare_pids(const void *a, const void *b)
{
    const struct process *left = *(struct process *const *)a;
    const struct process *right = *(struct process *const *)b;
    return left->pid < right->pid ? -1 : left->pid > right->pid;
}

// New rings are files named by a process number. Parents come before their children, who know some
// things from them only; a folder has no order of its own.
static void find_rings(struct collector *collector)
{
    bool has_news = folder_watch_has_news(&collector->watch) || collector->has_unready_ring;
    DIR *directory = has_news ? opendir(collector->run_dir) : NULL;
    if (!directory) {
        return;
    }
    collector->has_unready_ring = false;
    size_t known_count = collector->process_count;
    for (struct dirent *entry = readdir(directory); entry; entry = readdir(directory)) {
        char *end;
        long pid = strtol(entry->d_name, &end, 10);
        if (pid <= 0 || pid > INT_MAX || *end != '.' || is_known(collector, entry->d_name)) {
            continue;
        }
        if (collector->process_count - collector->gone_count < PROCESS_LIMIT) {
            add_process(collector, (int)pid, entry->d_name);
        } else {
            collector->has_unready_ring = true;
        }
    }
    closedir(directory);
    if (collector->process_count > known_count) {
        qsort(collector->processes + known_count, collector->process_count - known_count,
              sizeof(struct process *), compare_pids);
    }
}

// Until the ring that fills fastest is a quarter full, if it goes on like this.
static unsigned next_pause(const struct collector *collector, double fullest, uint64_t passed_ns)
{
    double passed_ms = (double)passed_ns / NS_PER_MS;
    double wanted_ms = fullest > 0 ? passed_ms / (fullest * FILL_PART) : PAUSE_MAX_MS;
    wanted_ms = fmin(wanted_ms, 2.0 * collector->pause_ms); // a lull may end soon
    return (unsigned)fmax(PAUSE_MIN_MS, fmin(wanted_ms, PAUSE_MAX_MS));
}

unsigned collector_drain(struct collector *collector)
{
    uint64_t start_ns = clock_ns();
    double fullest = 0; // parts of its ring that one process has filled since the last time
    find_rings(collector);
    for (size_t i = 0; i < collector->process_count; i++) {
        struct process *process = collector->processes[i];
        if (!process->is_gone) {
            double size = (double)process->ring.size;
            fullest = fmax(fullest, (double)drain_process(collector, process) / size);
        }
    }
    finish_processes(collector);
    collector->pause_ms = next_pause(collector, fullest, start_ns - collector->drained_ns);
    collector->drained_ns = start_ns;
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
        settle_process(&collector->fold, process, false);
    }
    report_fill(collector, profile);
}
