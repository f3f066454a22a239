// SPDX-License-Identifier: Apache-2.0
// Which processes of the run still go on: the part of collector.h that tells it.
#include <time.h>

#include "collect/run.h"
#include "collect/run_member.h"

#define BECOMING_S 1.0                   // from exec to the new program's ring, at most
#define FORK_NS    UINT64_C(10000000000) // a child has run long before, unless it was killed

static uint64_t clock_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

// Who has become another program is a Python again in a moment, or not at all.
static bool is_followed(const struct process *process, double now_s)
{
    return !process->is_gone &&
           (!process->has_become_another || now_s < process->end_s + BECOMING_S);
}

static size_t add_followed(const struct collector *collector, size_t count, int *pids, size_t max)
{
    double now_s = fold_seconds(&collector->fold, clock_ns());
    for (size_t i = 0; i < collector->process_count; i++) {
        const struct process *process = collector->processes[i];
        if (is_followed(process, now_s) && process->pid != collector->options.root_pid) {
            if (count < max) {
                pids[count] = process->pid;
            }
            count++;
        }
    }
    return count;
}

// Nobody slips through: not from the roll to a ring that was not there when rings were looked for,
// nor from a parent that was on one of them to a child that was not yet. Such a child has no number
// (0), and may have been killed before it ran: where nobody else is left, it is looked for.
static size_t count_running(struct collector *collector, int *pids, size_t max, bool may_read)
{
    struct roll *roll = &collector->control->roll;
    uint64_t fork_count;
    size_t count;
    do {
        fork_count = atomic_load(&roll->fork_count);
        bool has_fork = roll_has_fork(roll, clock_ns() - FORK_NS);
        count = roll_call_expected(roll, clock_ns(), pids, max);
        if (count == 0 && may_read) {
            collector_drain(collector);
        }
        count = add_followed(collector, count, pids, max);
        if (count == 0 && has_fork && run_member_exists(collector->run_dir)) {
            count = 1;
            if (max > 0) {
                pids[0] = 0;
            }
        }
    } while (count == 0 && fork_count != atomic_load(&roll->fork_count));
    return count;
}

size_t collector_running(struct collector *collector, int *pids, size_t max)
{
    return count_running(collector, pids, max, !collector->has_let_go);
}

size_t collector_known_running(struct collector *collector, int *pids, size_t max)
{
    return count_running(collector, pids, max, false);
}
