// SPDX-License-Identifier: Apache-2.0
#include "collect/settle.h"

#include <math.h>

struct shares {
    double told_s; // by those that have ended, and before
    double told_system_s;
    double open_sampled_s;
    double open_system_s;
    size_t open_count;
};

static struct shares add_up(const struct thread_table *threads)
{
    struct shares shares = {0};
    for (size_t i = 0; i < threads->sum_count; i++) {
        shares.told_s += threads->sums[i].true_s;
        shares.told_system_s += threads->sums[i].true_system_s;
    }
    for (size_t i = 0; i < threads->count; i++) {
        const struct thread *thread = &threads->list[i];
        shares.told_s += thread->true_s;
        shares.told_system_s += thread->true_system_s;
        if (!thread->has_ended && thread->pool != UINT32_MAX) {
            shares.open_sampled_s += thread->sampled_s;
            shares.open_system_s += thread->times.system_s;
            shares.open_count++;
        }
    }
    return shares;
}

// The kernel divides user from system time by chance, at its ticks: of many short threads together
// it is right, of each alone it is not. The process's own figure is the one to keep to.
static void correct_system(struct fold *fold, const struct process *process)
{
    const struct thread_table *threads = &process->threads;
    struct shares shares = add_up(threads);
    if (!process->has_end || shares.told_s <= 0) {
        return;
    }
    double part = (process->true_system_s - shares.told_system_s) / shares.told_s;
    for (size_t i = 0; i < threads->sum_count; i++) {
        tally_add_truth(fold->tally, threads->sums[i].pool, 0, threads->sums[i].true_s * part);
    }
    for (size_t i = 0; i < threads->count; i++) {
        const struct thread *thread = &threads->list[i];
        if (thread->pool != UINT32_MAX) {
            tally_add_truth(fold->tally, thread->pool, 0, thread->true_s * part);
        }
    }
}

static void end_thread(struct fold *fold, struct thread *thread, double end_s, double rest_s,
                       double rest_system_s)
{
    tally_add_truth(fold->tally, thread->pool, rest_s, rest_system_s);
    thread->has_ended = true;
    thread->true_s += rest_s;
    thread->true_system_s += rest_system_s;
    thread->end_s = end_s;
    idle_thread_ends(fold->idle, &thread->idle);
}

void settle_process(struct fold *fold, struct process *process, bool is_final)
{
    struct shares shares = add_up(&process->threads);
    double rest_s = fmax(0, process->true_s - shares.told_s);
    double rest_system_s = fmax(0, process->true_system_s - shares.told_system_s);
    if (process->true_s <= 0) {
        rest_s = shares.open_sampled_s;
    }
    if (process->true_system_s <= 0) {
        rest_system_s = shares.open_system_s;
    }
    rest_system_s = fmin(rest_s, rest_system_s);
    for (size_t i = 0; i < process->threads.count; i++) {
        struct thread *thread = &process->threads.list[i];
        if (thread->has_ended || thread->pool == UINT32_MAX) {
            continue;
        }
        double part = shares.open_sampled_s > 0 ? thread->sampled_s / shares.open_sampled_s
                                                : 1.0 / (double)shares.open_count;
        if (is_final) {
            end_thread(fold, thread, process->end_s, rest_s * part, rest_system_s * part);
        } else {
            tally_add_running(fold->tally, thread->pool, rest_s * part, rest_system_s * part);
        }
    }
    if (is_final) {
        correct_system(fold, process);
    }
}
