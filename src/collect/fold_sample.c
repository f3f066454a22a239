// SPDX-License-Identifier: Apache-2.0
// Folds what a sample says: whose time, of which kind, on which line and stack.

#include <math.h>

#include "collect/fold_stack.h"
#include "collect/fold_thread.h"

#define FAULT_COST_S     100e-6 // at most, of one page fault
#define SILENT_LIMIT_S   0.020  // a running thread is sampled about this often
#define UTILIZATION_SPAN 1.0
#define NS_PER_S         1000000000u

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
    size_t count = fold_number_awaiting(fold->stacks, process, sample->chain, frames);
    count += fold_number_frames(fold->stacks, process, (const void *)(sample + 1),
                                sample->frame_count, frames + count);
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
        thread->busy_s += wall * part;
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
        !fold_is_span(fold, sample->time_ns, (uint64_t)weight_ns)) {
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

// Who waits for an accelerator by asking it again and again computes, and waits all the same: the
// time is told as both.
static void add_spinning(struct fold *fold, struct thread *thread,
                         const struct tally_sample *tallied)
{
    tally_add_wait(fold->tally, tallied->pool, tallied->spot, PROFILE_WAIT_gpu, tallied->weight_s);
    thread->times.wait_s[PROFILE_WAIT_gpu] += tallied->weight_s;
}

static void add_unseen(struct fold *fold, struct thread *thread, const struct record_sample *sample)
{
    double weight_s = sample->periods * fold->period_s;
    thread->sampled_s += weight_s;
    tally_add_unseen(fold->tally, thread->pool, weight_s, fmin(weight_s, sample->system_us / 1e6));
}

// One that is far too late counts where the thread was last seen.
static void place_sample(struct thread *thread, const struct record_sample *sample,
                         struct tally_sample *tallied)
{
    struct thread_place *place = &thread->place;
    if (!(sample->flags & SAMPLE_IS_LAST)) {
        *place = (struct thread_place){tallied->spot, tallied->leaf, tallied->verdict, true};
    } else if (place->is_known) {
        tallied->spot = place->spot;
        tallied->leaf = place->leaf;
        tallied->verdict = place->verdict;
        tallied->verdict.native_count = 0; // of the frames that this one has
    }
}

bool fold_sample(struct fold *fold, struct process *process, const void *record, size_t len)
{
    const struct record_sample *sample = record;
    if (!sample_is_sane(fold, sample, len)) {
        return false;
    }
    double now_s = fold_seconds(fold, sample->time_ns);
    struct thread *thread = fold_thread(fold, process, sample->tid, now_s);
    if (sample->flags & SAMPLE_IS_OFF) {
        add_unseen(fold, thread, sample);
        note_running(fold, thread, sample, now_s);
        return true;
    }
    const struct record_frame *frames = (const void *)(sample + 1);
    struct unwind_frame chain[FOLD_CHAIN_MAX];
    uint32_t spot = fold_spot(fold, process, thread, frames, sample->frame_count);
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
        .time_s = fold_seconds(fold, sample->time_ns),
        .is_main_thread = fold_is_main_thread(fold, process, thread),
    };
    place_sample(thread, sample, &tallied);
    thread->last_spot = tallied.spot;
    thread_note_recent(thread, tallied.spot, now_s - tallied.weight_s, now_s);
    fold_credit_gpu(fold, process, tallied.spot, thread->busy_from_s,
                    now_s); // it may have been ready
    split_system(sample, &tallied);
    tallied.utilization = utilization(fold, now_s, tallied.weight_s);
    tally_add_sample(fold->tally, &tallied);
    add_thread_times(fold, thread, &tallied);
    if (gpu_calls_is_waiting(&fold->gpu_calls, chain, tallied.verdict.native_count)) {
        add_spinning(fold, thread, &tallied);
    }
    if (fold->has_stacks) {
        add_stack(fold, process, thread, sample, chain, &tallied);
    } else if (count > 0) {
        fold->stackless_gpu += gpu_calls_is_runtime(&fold->gpu_calls, chain[0].image);
    }
    note_running(fold, thread, sample, now_s);
    fold->sample_count++;
    fold->late_count += sample->flags & SAMPLE_IS_LATE ? 1 : 0;
    fold->reached_periods += sample->periods;
    return true;
}
