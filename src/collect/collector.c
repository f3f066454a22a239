// SPDX-License-Identifier: Apache-2.0
#include "collect/collector.h"

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
#include "collect/departure.h"
#include "collect/fold.h"
#include "collect/fold_async.h"
#include "collect/fold_memory.h"
#include "collect/gpu_watch.h"
#include "collect/report.h"
#include "collect/ring_search.h"
#include "collect/run.h"
#include "collect/settle.h"
#include "wire/control.h"

#define PAUSE_MIN_MS 2u
#define PAUSE_MAX_MS 50u
#define FILL_PART    4u // a ring is to be no fuller than this part between two looks
#define NS_PER_MS    1000000u

static bool is_ours(const void *context, const char *path)
{
    return filter_accepts(context, path);
}

static double usable_cores(void)
{
    cpu_set_t set;
    return sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
}

// Each process and each mapped file of the program's is an open file here, and the profile is a
// file that may be larger than any of its own. It has been started by now and keeps the limits that
// it was given.
static void lift_limits(void)
{
    static const int lifted[] = {RLIMIT_NOFILE, RLIMIT_FSIZE, RLIMIT_AS, RLIMIT_DATA};
    for (size_t i = 0; i < sizeof lifted / sizeof *lifted; i++) {
        struct rlimit limit;
        if (getrlimit(lifted[i], &limit) == 0 && limit.rlim_cur < limit.rlim_max) {
            limit.rlim_cur = limit.rlim_max;
            setrlimit(lifted[i], &limit);
        }
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
        .has_leaks = options->has_leak_detector,
        .has_all = options->filter->has_all,
        .cores = usable_cores(),
        .gpu_calls.symbols = made->symbols,
        .gpu = options->has_gpu ? gpu_watch_new() : NULL,
        .run_dir = made->run_dir,
    };
    folder_watch_open(&made->watch, made->run_dir);
    made->has_unready_ring = true; // what is there already is no news
    lift_limits();
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
    focus_clear(&collector->fold.focus);
    async_tasks_clear(&collector->fold.tasks);
    async_tasks_clear(&collector->fold.running_tasks);
    async_stacks_clear(&collector->fold.awaits);
    async_stacks_clear(&collector->fold.running_awaits);
    tally_free(collector->fold.tally);
    stack_table_free(collector->fold.stacks);
    idle_free(collector->fold.idle);
    memory_tally_free(collector->fold.memory);
    gpu_watch_free(collector->fold.gpu);
    gpu_calls_clear(&collector->fold.gpu_calls);
    stack_table_free(collector->fold.memory_stacks);
    symbol_cache_free(collector->symbols);
    image_cache_free(collector->images);
    roll_call_clear(&collector->roll_call);
    control_close(collector->control);
    free(collector->run_dir);
    free(collector);
}

// Whom it was forked from. Its parent may be another by now: who outlives its parent is adopted.
// One that is gone has forgotten what the program, if it is a fork of that, still knows.
static struct process *origin_of(struct collector *collector, const void *record, size_t len)
{
    const struct record_process *intro = record;
    if (len < sizeof *intro) {
        return NULL;
    }
    struct process **list = collector->processes;
    struct process *root =
        process_find(list, collector->process_count, collector->options.root_pid);
    struct process *origin = process_find(list, collector->process_count, intro->origin_pid);
    bool is_like_root = origin && root && origin->is_gone && process_is_alike(origin, root);
    return !origin || is_like_root ? root : origin;
}

static bool take_record(struct collector *collector, struct process *process,
                        const struct ring_view *view)
{
    struct fold *fold = &collector->fold;
    if (process->has_become_another) { // it has not: there are records after its end
        process->has_become_another = false;
        process->has_end = false;
    }
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
                                         origin_of(collector, view->record, view->len));
    case RECORD_INTERPRETER:
        return process_take_interpreter(process, view->record, view->len);
    case RECORD_MODULE:
        return process_take_module(process, view->record, view->len);
    case RECORD_CODE:
        return process_take_code(process, view->record, view->len, is_ours,
                                 collector->options.filter);
    case RECORD_THREAD_BEGIN:
        return fold_thread_begin(fold, process, view->record, view->len);
    case RECORD_THREAD_NAME:
        return fold_thread_name(process, view->record, view->len);
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
    case RECORD_FOCUS:
        return fold_focus(fold, process, view->record, view->len);
    case RECORD_CHAIN:
        return fold_chain(fold, process, view->record, view->len);
    case RECORD_AWAIT_NAME:
        return fold_await_name(fold, process, view->record, view->len);
    case RECORD_LOOP_BLOCK:
        return fold_loop_block(fold, process, view->record, view->len);
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
    if (!process->has_end && !process->is_replaced && clock_gettime(clock, &time) == 0) {
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

// Returns how many bytes there were. A ring that is filled as fast as it is read does not keep the
// others waiting.
static uint64_t drain_process(struct collector *collector, struct process *process)
{
    uint64_t bytes = 0;
    // Asked before the last look: what it wrote before its end is then all read.
    process->is_ending = process->is_replaced || has_ended(process);
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
        uint64_t now_ns = clock_ns();
        open_wait_look(&collector->open_waits, &collector->fold, process, now_ns);
        fold_async_look(&collector->fold, process, now_ns,
                        control_off_ns(collector->control, now_ns));
    }
    return bytes;
}

// Until the ring that fills fastest is a quarter full, if it goes on like this.
static unsigned next_pause(const struct collector *collector, double fullest, uint64_t passed_ns)
{
    double passed_ms = (double)passed_ns / NS_PER_MS;
    double wanted_ms = fullest > 0 ? passed_ms / (fullest * FILL_PART) : PAUSE_MAX_MS;
    wanted_ms = fmin(wanted_ms, 2.0 * collector->pause_ms); // a lull may end soon
    return (unsigned)fmax(PAUSE_MIN_MS, fmin(wanted_ms, PAUSE_MAX_MS));
}

// While profiling is off waits are not seen: that time is not taken for idling.
static void note_off_time(struct collector *collector, uint64_t now_ns)
{
    uint64_t off_ns = control_off_ns(collector->control, now_ns);
    if (off_ns > collector->off_ns) {
        double now_s = fold_seconds(&collector->fold, now_ns);
        double off_s = (double)(off_ns - collector->off_ns) / 1e9;
        idle_add_busy(collector->fold.idle, &collector->off_time, now_s - off_s, now_s, 1);
    }
    collector->off_ns = off_ns;
}

unsigned collector_drain(struct collector *collector)
{
    uint64_t start_ns = clock_ns();
    note_off_time(collector, start_ns);
    double fullest = 0; // parts of its ring that one process has filled since the last time
    ring_search(collector);
    roll_call_look(&collector->roll_call, &collector->control->roll, start_ns);
    for (size_t i = 0; i < collector->process_count; i++) {
        struct process *process = collector->processes[i];
        bool is_held = collector->holds_program && process->pid == collector->options.root_pid;
        if (!process->is_gone && !is_held) {
            double size = (double)process->ring.size;
            fullest = fmax(fullest, (double)drain_process(collector, process) / size);
        }
    }
    if (collector->fold.gpu) {
        gpu_watch_look(collector->fold.gpu, &collector->fold, collector->processes,
                       collector->process_count);
    }
    departure_settle(collector, clock_ns());
    collector->pause_ms = next_pause(collector, fullest, start_ns - collector->drained_ns);
    collector->drained_ns = start_ns;
    return collector->pause_ms;
}

// As if they had ended now, which the report knows better.
void collector_stop(struct collector *collector)
{
    collector_drain(collector);
    for (size_t i = 0; i < collector->process_count; i++) {
        struct process *process = collector->processes[i];
        if (!process->is_gone) {
            process->runs_on = true;
            departure_finish(collector, process, clock_ns());
        }
    }
}

void collector_add_stop(struct collector *collector, uint64_t begin_ns, uint64_t end_ns)
{
    pause_list_add(&collector->fold.stops, begin_ns, end_ns);
}

void collector_hold_program(struct collector *collector, bool is_held)
{
    collector->holds_program = is_held;
}

void collector_add_own_cpu(struct collector *collector, double seconds)
{
    collector->copies_cpu_s += seconds;
}

void collector_take_over(struct collector *collector)
{
    gpu_watch_take_over(collector->fold.gpu);
    collector->holds_program = false; // nobody tells of stops any more
    for (size_t i = 0; i < collector->process_count; i++) {
        collector->processes[i]->view = (struct ring_view){0}; // released by the one before
    }
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

void collector_watch(struct collector *collector, const struct watcher *watcher)
{
    stack_table_watch(collector->fold.stacks, watcher);
    stack_table_watch(collector->fold.memory_stacks, watcher);
}

bool collector_has_ended(const struct collector *collector)
{
    return collector->has_ended;
}

void collector_let_go(struct collector *collector)
{
    collector->has_let_go = true;
}

void collector_fill(struct collector *collector, struct profile *profile)
{
    collector->fold.running_async_own_s = 0;
    collector->fold.running_await_lost_s = 0;
    for (size_t i = 0; i < collector->process_count; i++) {
        struct process *process = collector->processes[i];
        if (process->is_gone) {
            continue;
        }
        if (collector->has_let_go) { // this one has outlived the root, but not the profile
            open_wait_settle(&collector->fold, process, collector->ending.end_ns);
        }
        settle_process(&collector->fold, process, false);
        uint64_t now_ns = clock_ns();
        fold_async_settle(&collector->fold, process, now_ns,
                          control_off_ns(collector->control, now_ns), false);
    }
    report_fill(collector, profile);
}
