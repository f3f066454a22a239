// SPDX-License-Identifier: Apache-2.0
#include "collect/departure.h"

#include <string.h>

#include "collect/exit_status.h"
#include "collect/fold_async.h"
#include "collect/fold_memory.h"
#include "collect/gpu_watch.h"
#include "collect/run.h"
#include "collect/settle.h"

void departure_finish(struct collector *collector, struct process *process, uint64_t now_ns)
{
    if (!process->has_end) {
        process->end_s = fold_seconds(&collector->fold, now_ns);
    }
    if (!process->is_replaced &&
        exit_status_read(process->pidfd, process->pid, &process->wait_status)) {
        process->has_wait_status = true;
    }
    open_wait_settle(&collector->fold, process, now_ns);
    for (size_t i = 0; i < RING_COUNTER_COUNT; i++) {
        process->counters[i] = atomic_load(&process->ring.header->counters[i]);
    }
    settle_process(&collector->fold, process, true);
    if (collector->fold.gpu) {
        gpu_watch_end(collector->fold.gpu, &collector->fold, process->pid);
    }
    fold_memory_end(&collector->fold, process, process->end_s);
    fold_async_settle(&collector->fold, process, process->has_end ? process->end_ns : now_ns,
                      control_off_ns(collector->control, now_ns), true);
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
    sum->true_s += process->true_s;
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

void departure_settle(struct collector *collector, uint64_t now_ns)
{
    for (size_t i = 0; i < collector->process_count; i++) {
        struct process *process = collector->processes[i];
        if (!process->is_ending || process->is_gone) {
            continue;
        }
        departure_finish(collector, process, now_ns);
        if (collector->gone_count > PROCESSES_LISTED &&
            process->pid != collector->options.root_pid) {
            forget_process(collector, i--);
        }
    }
}
