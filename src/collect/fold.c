// SPDX-License-Identifier: Apache-2.0
#include "collect/fold.h"

#include <math.h>
#include <time.h>

#include "collect/fold_memory.h"
#include "collect/fold_stack.h"
#include "collect/fold_thread.h"
#include "collect/gpu_watch.h"
#include "collect/python_text.h"

#define CORES_MAX 65536u // no machine has more
#define NS_PER_S  1000000000u
#define SLACK_NS  NS_PER_S

double fold_seconds(const struct fold *fold, uint64_t time_ns)
{
    double stopped_ns = pause_list_before(&fold->stops, time_ns);
    return ((double)time_ns - (double)fold->start_ns - stopped_ns) / 1e9;
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

bool fold_is_span(const struct fold *fold, uint64_t time_ns, uint64_t span_ns)
{
    return span_ns <= time_ns + SLACK_NS - fold->start_ns;
}

struct thread *fold_thread(struct fold *fold, struct process *process, int tid, double now_s)
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

bool fold_is_main_thread(const struct fold *fold, const struct process *process,
                         const struct thread *thread)
{
    return process->pid == fold->root_pid && thread->tid == process->pid;
}

uint32_t fold_spot(struct fold *fold, struct process *process, const struct thread *thread,
                   const struct record_frame *frames, size_t count)
{
    struct tally_place place;
    return fold_find_place(fold, process, frames, count, &place)
               ? tally_spot(fold->tally, thread->pool, &place)
               : TALLY_NONE;
}

void fold_credit_gpu(struct fold *fold, const struct process *process, uint32_t spot,
                     double begin_s, double end_s)
{
    if (fold->gpu) {
        gpu_watch_credit(fold->gpu, fold->tally,
                         &(struct gpu_stretch){process->pid, spot, begin_s, end_s});
    }
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
    fold_thread(fold, process, begin->tid, fold_seconds(fold, begin->time_ns));
    return true;
}

bool fold_thread_name(struct process *process, const void *record, size_t len)
{
    const struct record_thread_name *told = record;
    if (len < sizeof *told || told->name_len > len - sizeof *told ||
        !python_text_is_width(told->name_width)) {
        return false;
    }
    struct thread *thread = thread_table_get(&process->threads, told->tid);
    python_text_copy((const uint8_t *)(told + 1), told->name_len, told->name_width, thread->name,
                     sizeof thread->name);
    return true;
}

// Of what it ran or wanted a core by its own accounts, what is not told yet lies before its end.
static void note_last_running(struct fold *fold, struct thread *thread, double now_s)
{
    double used_s = thread->true_s - (double)thread->cpu_ns / 1e9;
    double untold_s = fmax(used_s, thread->true_s + thread->ready_s - thread->busy_s);
    idle_add_busy(fold->idle, &thread->idle, fmax(thread->busy_from_s, now_s - fmax(0, untold_s)),
                  now_s, 1);
    idle_thread_ends(fold->idle, &thread->idle);
}

bool fold_thread_end(struct fold *fold, struct process *process, const void *record, size_t len)
{
    const struct record_thread_end *end = record;
    if (len < sizeof *end || !fold_is_time(fold, end->time_ns) ||
        !fold_is_span(fold, end->time_ns, end->cpu_ns) ||
        !fold_is_span(fold, end->time_ns, end->ready_ns)) {
        return false;
    }
    double now_s = fold_seconds(fold, end->time_ns);
    struct thread *thread = fold_thread(fold, process, end->tid, now_s);
    double cpu_s = (double)end->cpu_ns / 1e9;
    double system_s = fmin(cpu_s, (double)end->system_us / 1e6);
    tally_add_truth(fold->tally, thread->pool, cpu_s - thread->true_s,
                    system_s - thread->true_system_s);
    thread->true_s = cpu_s;
    thread->true_system_s = system_s;
    thread->ready_s = (double)end->ready_ns / 1e9;
    thread->has_ended = true;
    thread->end_s = now_s;
    note_last_running(fold, thread, now_s);
    return true;
}

bool fold_process_end(struct fold *fold, struct process *process, const void *record, size_t len)
{
    const struct record_process_end *end = record;
    if (len < sizeof *end || !fold_is_time(fold, end->time_ns) ||
        !fold_is_span(fold, end->time_ns, end->cpu_ns / CORES_MAX)) {
        return false;
    }
    process->has_end = true;
    process->end_ns = end->time_ns;
    process->end_s = fold_seconds(fold, end->time_ns);
    process->true_s = fmax(0, (double)end->cpu_ns / 1e9 - process->foreign_s);
    process->true_system_s = fmin(process->true_s, (double)end->system_us / 1e6);
    process->peak_rss_mb = (double)end->peak_rss_kb / 1024;
    process->has_become_another = end->is_exec;
    if (!end->is_exec) {
        process->wait_status = (int)(end->status & 0xff) << 8;
        process->has_wait_status = true;
    } else {
        fold_memory_end(fold, process, process->end_s);
    }
    return true;
}

bool fold_focus(struct fold *fold, struct process *process, const void *record, size_t len)
{
    const struct record_focus *told = record;
    const struct code *code = len < sizeof *told ? NULL : process_code(process, told->code_id);
    if (code) {
        focus_add(&fold->focus, code);
    }
    return code != NULL;
}
