// SPDX-License-Identifier: Apache-2.0
#include "collect/fold.h"

#include <math.h>
#include <time.h>

#include "collect/fold_memory.h"
#include "collect/fold_stack.h"

#define FAULT_COST_S     100e-6 // at most, of one page fault
#define SILENT_LIMIT_S   0.020  // a running thread is sampled about this often
#define UTILIZATION_SPAN 1.0
#define CORES_MAX        65536u // no machine has more
#define NS_PER_S         1000000000u
#define SLACK_NS         NS_PER_S

_Static_assert((int)WAIT_KIND_COUNT == (int)PROFILE_WAIT_COUNT - 1, "the profile has gpu besides");

static const enum profile_wait wait_names[WAIT_KIND_COUNT] = {
    [WAIT_GIL] = PROFILE_WAIT_gil,         [WAIT_LOCK] = PROFILE_WAIT_lock,
    [WAIT_SLEEP] = PROFILE_WAIT_sleep,     [WAIT_DISK] = PROFILE_WAIT_disk,
    [WAIT_NETWORK] = PROFILE_WAIT_network, [WAIT_PIPE] = PROFILE_WAIT_pipe,
    [WAIT_CHILD] = PROFILE_WAIT_child,     [WAIT_OTHER] = PROFILE_WAIT_other,
};

double fold_seconds(const struct fold *fold, uint64_t time_ns)
{
    return ((double)time_ns - (double)fold->start_ns) / 1e9;
}

bool fold_is_time(struct fold *fold, uint64_t time_ns)
{
    if (time_ns > fold->now_ns) {
        struct timespec now;
        clock_gettime(CLOCK_MONOTONIC, &now);
        fold->now_ns = (uint64_t)now.tv_sec * NS_PER_S + (uint64_t)now.tv_nsec;
    }
    return time_ns <= fold->now_ns && time_ns + SLACK_NS >= fold->start_ns;
}

// Whether one thread can have waited or computed so long by then.
static bool is_span(const struct fold *fold, uint64_t time_ns, uint64_t span_ns)
{
    return span_ns <= time_ns + SLACK_NS - fold->start_ns;
}

static struct thread *find_thread(struct fold *fold, struct process *process, int tid, double now_s)
{
    struct thread *thread = thread_table_get(&process->threads, tid);
    if (thread->pool == UINT32_MAX) {
        thread->start_s = now_s;
        thread->busy_from_s = now_s;
        thread->pool = tally_pool(fold->tally, process->command_key ? process->command_key : "",
                                  thread->start_routine);
    }
    return thread;
}

static bool is_main_thread(const struct fold *fold, const struct process *process,
                           const struct thread *thread)
{
    return process->pid == fold->root_pid && thread->tid == process->pid;
}

static uint32_t find_spot(struct fold *fold, struct process *process, const struct thread *thread,
                          const struct record_frame *frames, size_t count)
{
    struct tally_place place;
    return fold_find_place(fold, process, frames, count, &place)
               ? tally_spot(fold->tally, thread->pool, &place)
               : TALLY_NONE;
}

static uint32_t find_leaf(struct fold *fold, struct process *process,
                          const struct record_frame *frames, size_t count)
{
    const struct code *code = count > 0 ? process_code(process, frames[0].code_id) : NULL;
    if (!code) {
        return 0;
    }
    return tally_leaf(fold->tally, code->key, line_table_line(&code->lines, frames[0].offset));
}

static void find_interpreter(struct process *process)
{
    struct kind_roles *roles = &process->roles;
    if (!roles->interpreter && roles->runtime != 0) {
        const struct address_region *region = address_space_find(&process->space, roles->runtime);
        roles->interpreter = region ? region->image : NULL;
    }
}

// Reading the interpreter's file takes milliseconds: not for samples that no profiled line has.
static void find_entry_points(struct process *process)
{
    struct kind_roles *roles = &process->roles;
    if (!roles->entry_points && roles->interpreter) {
        roles->entry_points = entry_points_of(roles->interpreter, process_python_minor(process));
    }
}

// Without a copy of the stack the innermost frame is all that is known.
static size_t find_innermost(struct process *process, const struct record_sample *sample,
                             struct unwind_frame *chain)
{
    if (sample->ip == 0) {
        return 0;
    }
    *chain = (struct unwind_frame){.ip = sample->ip, .is_exact = true};
    const struct address_region *region = address_space_find(&process->space, sample->ip);
    if (region && region->has_bias) {
        uint64_t start;
        uint64_t end;
        chain->image = region->image;
        chain->bias = region->bias;
        if (function_table_find(image_functions(region->image), sample->ip - region->bias, &start,
                                &end)) {
            chain->function = start + region->bias;
        }
    }
    return 1;
}

static size_t unwind_sample(struct fold *fold, struct process *process,
                            const struct record_sample *sample, struct unwind_frame *chain,
                            double now_s)
{
    if (sample->stack_len == 0) {
        return find_innermost(process, sample, chain);
    }
    struct fold_stack_copy copy = {
        .registers =
            (const void *)((const struct record_frame *)(sample + 1) + sample->frame_count),
        .stack_len = sample->stack_len,
        .until = sample->mark,
    };
    return fold_unwind(fold, process, &copy, chain, now_s);
}

// Native frames of profiled lines, and of threads that run no Python; not of the interpreter's own
// start, nor of a library's Python code that no line of the program called.
static bool shows_native(const struct process *process, const struct record_sample *sample,
                         const struct tally_sample *tallied)
{
    bool is_native_thread = sample->frame_count == 0 && process->version_hex != 0;
    return tallied->spot != TALLY_NONE || is_native_thread;
}

static void add_stack(struct fold *fold, struct process *process, const struct thread *thread,
                      const struct record_sample *sample, const struct unwind_frame *chain,
                      const struct tally_sample *tallied)
{
    uint32_t frames[FOLD_FRAMES_MAX];
    size_t count = fold_number_frames(fold->stacks, process, (const void *)(sample + 1),
                                      sample->frame_count, frames);
    struct stack_sample stack = {.frames = frames, .python_count = count, .weight = 1};
    if (shows_native(process, sample, tallied)) {
        count +=
            fold_number_chain(fold->stacks, chain, tallied->verdict.native_count, frames + count);
    }
    if (count == 0) {
        return;
    }
    double user_s = tallied->weight_s - tallied->system_s;
    stack.frame_count = count;
    stack.leaf = tallied->leaf;
    stack.system_s = tallied->system_s;
    stack.python_s = tallied->verdict.kind == KIND_EVAL ? user_s : 0;
    stack.native_s = tallied->verdict.kind == KIND_NATIVE ? user_s : 0;
    stack.helper_s = tallied->verdict.kind == KIND_HELPER ? user_s : 0;
    stack.time_s = tallied->time_s;
    stack.thread_id = thread->python_id ? thread->python_id : (uint64_t)thread->tid;
    stack_table_add(fold->stacks, &stack);
}

// CPU of the whole tree over the last second or so, as a part of what the cores could have done.
static double utilization(struct fold *fold, double now_s, double weight_s)
{
    double passed = now_s - fold->recent_at_s;
    if (passed > 0) {
        fold->recent_cpu_s *= exp(-passed / UTILIZATION_SPAN);
        fold->recent_at_s = now_s;
    }
    fold->recent_cpu_s += weight_s;
    double span = fmin(UTILIZATION_SPAN, fmax(now_s, fold->period_s));
    return fmin(1, fold->recent_cpu_s / (span * fold->cores));
}

static void split_system(const struct record_sample *sample, struct tally_sample *tallied)
{
    double charged_s = sample->system_us / 1e6;
    if (tallied->verdict.kind == KIND_SYSTEM) {
        tallied->system_s = tallied->weight_s;
    } else {
        // A page fault is no call: only the kernel's accounts show it.
        double faults_s = sample->faults * FAULT_COST_S;
        tallied->system_s = fmin(tallied->weight_s, fmin(charged_s, faults_s));
    }
    tallied->system_spare_s = charged_s - tallied->system_s;
}

static void note_running(struct fold *fold, struct thread *thread,
                         const struct record_sample *sample, double now_s)
{
    double wall = now_s - thread->busy_from_s;
    double computed = (double)(sample->cpu_ns - thread->cpu_ns) / 1e9;
    if (wall > 0) {
        double part = 1 - fmin(1, thread->short_wait_s / wall);
        bool has_slept = sample->switches > thread->wait_count + 1;
        if (wall > SILENT_LIMIT_S && has_slept && thread->cpu_ns != 0) {
            // Blocked outside our hooks, the CPU clock stood still. (Without a switch of its own
            // accord it was waiting for a core, which is not idling.)
            part = fmin(part, computed / wall);
        }
        idle_add_busy(fold->idle, &thread->idle, thread->busy_from_s, now_s, part);
    }
    thread->busy_from_s = now_s;
    thread->short_wait_s = 0;
    thread->wait_count = 0;
    thread->cpu_ns = sample->cpu_ns;
}

static bool sample_is_sane(struct fold *fold, const struct record_sample *sample, size_t len)
{
    if (len < sizeof *sample || sample->frame_count > RECORD_FRAME_MAX ||
        sample->stack_len > RECORD_STACK_MAX || sample->periods == 0 ||
        !fold_is_time(fold, sample->time_ns)) {
        return false;
    }
    double weight_ns = sample->periods * fold->period_s * NS_PER_S;
    if (weight_ns > fold->period_s * NS_PER_S &&
        !is_span(fold, sample->time_ns, (uint64_t)weight_ns)) {
        return false;
    }
    size_t native =
        sample->stack_len ? RECORD_REGISTER_COUNT * sizeof(uint64_t) + sample->stack_len : 0;
    return sizeof *sample + sample->frame_count * sizeof(struct record_frame) + native <= len;
}

// Helpers are the thread's as their line looks by now: lines are decided in the end, threads are
// not kept apart by line.
static void add_thread_times(const struct fold *fold, struct thread *thread,
                             const struct tally_sample *tallied)
{
    double user_s = tallied->weight_s - tallied->system_s;
    double native = tallied->verdict.kind == KIND_NATIVE ? 1 : 0;
    if (tallied->verdict.kind == KIND_HELPER) {
        native = tally_helper_native(fold->tally, tallied->leaf);
    }
    thread->sampled_s += tallied->weight_s;
    thread->times.system_s += tallied->system_s;
    thread->times.native_s += native * user_s;
    thread->times.python_s += (1 - native) * user_s;
}

bool fold_sample(struct fold *fold, struct process *process, const void *record, size_t len)
{
    const struct record_sample *sample = record;
    if (!sample_is_sane(fold, sample, len)) {
        return false;
    }
    double now_s = fold_seconds(fold, sample->time_ns);
    struct thread *thread = find_thread(fold, process, sample->tid, now_s);
    const struct record_frame *frames = (const void *)(sample + 1);
    struct unwind_frame chain[FOLD_CHAIN_MAX];
    uint32_t spot = find_spot(fold, process, thread, frames, sample->frame_count);
    find_interpreter(process);
    if (spot != TALLY_NONE) {
        find_entry_points(process);
    }
    size_t count = unwind_sample(fold, process, sample, chain, now_s);
    struct tally_sample tallied = {
        .pool = thread->pool,
        .spot = spot,
        .leaf = find_leaf(fold, process, frames, sample->frame_count),
        .verdict = kind_judge(&process->roles, sample, chain, count),
        .weight_s = sample->periods * fold->period_s,
        .time_s = (double)sample->time_ns / 1e9,
        .is_main_thread = is_main_thread(fold, process, thread),
    };
    thread->last_spot = tallied.spot;
    split_system(sample, &tallied);
    tallied.utilization = utilization(fold, now_s, tallied.weight_s);
    tally_add_sample(fold->tally, &tallied);
    add_thread_times(fold, thread, &tallied);
    if (fold->has_stacks) {
        add_stack(fold, process, thread, sample, chain, &tallied);
    }
    note_running(fold, thread, sample, now_s);
    fold->sample_count++;
    fold->late_count += sample->flags & SAMPLE_IS_LATE ? 1 : 0;
    fold->reached_periods += sample->periods;
    return true;
}

static void note_waiting(struct fold *fold, struct thread *thread, double from_s, double to_s)
{
    double wall = from_s - thread->busy_from_s;
    if (wall > 0) {
        idle_add_busy(fold->idle, &thread->idle, thread->busy_from_s, from_s,
                      1 - fmin(1, thread->short_wait_s / wall));
    }
    thread->busy_from_s = fmax(thread->busy_from_s, to_s);
    thread->short_wait_s = 0;
}

struct waited {
    uint32_t spot;
    enum wait_kind kind;
    double begin_s;
    double end_s;
};

static void add_wait(struct fold *fold, const struct process *process, struct thread *thread,
                     const struct waited *wait)
{
    enum profile_wait kind = wait_names[wait->kind];
    double duration_s = wait->end_s - wait->begin_s;
    tally_add_wait(fold->tally, thread->pool, wait->spot, kind, duration_s);
    thread->times.wait_s[kind] += duration_s;
    thread->last_spot = wait->spot;
    if (is_main_thread(fold, process, thread)) {
        idle_add_wait(fold->idle, wait->spot, wait->begin_s, wait->end_s);
    }
}

bool fold_wait(struct fold *fold, struct process *process, const void *record, size_t len)
{
    const struct record_wait *wait = record;
    if (len < sizeof *wait || wait->kind >= WAIT_KIND_COUNT ||
        wait->frame_count > RECORD_FRAME_MAX ||
        sizeof *wait + wait->frame_count * sizeof(struct record_frame) > len ||
        !fold_is_time(fold, wait->time_ns) || !is_span(fold, wait->time_ns, wait->duration_ns)) {
        return false;
    }
    double end_s = fold_seconds(fold, wait->time_ns);
    double duration_s = (double)wait->duration_ns / 1e9;
    struct thread *thread = find_thread(fold, process, wait->tid, end_s);
    uint32_t spot =
        wait->flags & WAIT_SAME_STACK
            ? thread->last_wait_spot
            : find_spot(fold, process, thread, (const void *)(wait + 1), wait->frame_count);
    thread->last_wait_spot = spot;
    thread->wait_count++;
    add_wait(fold, process, thread,
             &(struct waited){spot, (enum wait_kind)wait->kind, end_s - duration_s, end_s});
    if (wait->flags & WAIT_IS_SAMPLED) {
        thread->short_wait_s += duration_s;
    } else {
        note_waiting(fold, thread, end_s - duration_s, end_s);
    }
    return true;
}

void fold_open_wait(struct fold *fold, struct process *process, const struct fold_open_wait *wait)
{
    struct thread *thread = find_thread(fold, process, wait->tid, wait->begin_s);
    uint32_t spot =
        wait->frame ? find_spot(fold, process, thread, wait->frame, 1) : thread->last_spot;
    add_wait(fold, process, thread, &(struct waited){spot, wait->kind, wait->begin_s, wait->end_s});
    note_waiting(fold, thread, wait->begin_s, wait->end_s);
}

bool fold_thread_begin(struct fold *fold, struct process *process, const void *record, size_t len)
{
    const struct record_thread_begin *begin = record;
    if (len < sizeof *begin || !fold_is_time(fold, begin->time_ns)) {
        return false;
    }
    struct thread *thread = thread_table_get(&process->threads, begin->tid);
    if (thread->has_ended) {
        thread_table_replace(&process->threads, thread);
    }
    thread->start_routine = begin->start_routine;
    thread->python_id = begin->python_id;
    find_thread(fold, process, begin->tid, fold_seconds(fold, begin->time_ns));
    return true;
}

bool fold_thread_end(struct fold *fold, struct process *process, const void *record, size_t len)
{
    const struct record_thread_end *end = record;
    if (len < sizeof *end || !fold_is_time(fold, end->time_ns) ||
        !is_span(fold, end->time_ns, end->cpu_ns) || !is_span(fold, end->time_ns, end->ready_ns)) {
        return false;
    }
    double now_s = fold_seconds(fold, end->time_ns);
    struct thread *thread = find_thread(fold, process, end->tid, now_s);
    double foreign_s = thread->tid == process->pid ? process->foreign_s : 0;
    double cpu_s = fmax(0, (double)end->cpu_ns / 1e9 - foreign_s);
    double system_s = fmin(cpu_s, (double)end->system_us / 1e6);
    tally_add_truth(fold->tally, thread->pool, cpu_s - thread->true_s,
                    system_s - thread->true_system_s);
    thread->true_s = cpu_s;
    thread->true_system_s = system_s;
    thread->ready_s = (double)end->ready_ns / 1e9;
    thread->has_ended = true;
    thread->end_s = now_s;
    double used_s = cpu_s - (double)thread->cpu_ns / 1e9;
    idle_add_busy(fold->idle, &thread->idle, fmax(thread->busy_from_s, now_s - fmax(0, used_s)),
                  now_s, 1);
    idle_thread_ends(fold->idle, &thread->idle);
    return true;
}

bool fold_process_end(struct fold *fold, struct process *process, const void *record, size_t len)
{
    const struct record_process_end *end = record;
    if (len < sizeof *end || !fold_is_time(fold, end->time_ns) ||
        !is_span(fold, end->time_ns, end->cpu_ns / CORES_MAX)) {
        return false;
    }
    process->has_end = true;
    process->end_s = fold_seconds(fold, end->time_ns);
    process->true_s = fmax(0, (double)end->cpu_ns / 1e9 - process->foreign_s);
    process->true_system_s = fmin(process->true_s, (double)end->system_us / 1e6);
    process->peak_rss_mb = (double)end->peak_rss_kb / 1024;
    if (end->is_exec) {
        fold_memory_end(fold, process, process->end_s);
    }
    return true;
}
