// SPDX-License-Identifier: Apache-2.0
#include "collect/gpu_credit.h"

#include <stdlib.h>

#include "base/mem.h"

#define PROCESS_MAX 1024u
#define WAITING_MAX 65536u

static struct gpu_process *find(const struct gpu_credit *credit, int pid)
{
    for (size_t i = 0; i < credit->count; i++) {
        if (credit->processes[i].pid == pid) {
            return &credit->processes[i];
        }
    }
    return NULL;
}

static const struct gpu_curve *curve_of(const struct gpu_credit *credit, int pid)
{
    const struct gpu_process *process = pid > 0 ? find(credit, pid) : NULL;
    return process ? &process->curve : NULL;
}

// In the place of one that has ended, if there is one. NULL: too many run.
static struct gpu_process *add(struct gpu_credit *credit, int pid)
{
    struct gpu_process *process = find(credit, 0);
    if (!process && credit->count < PROCESS_MAX) {
        credit->processes = mem_grow(credit->processes, credit->count, &credit->capacity,
                                     sizeof *credit->processes);
        process = &credit->processes[credit->count++];
    }
    if (process) {
        *process = (struct gpu_process){.pid = pid};
    }
    return process;
}

void gpu_credit_read(struct gpu_credit *credit, int pid, const struct gpu_point *reading)
{
    struct gpu_process *process = pid > 0 ? find(credit, pid) : NULL;
    if (!process && pid > 0) {
        process = add(credit, pid);
    }
    if (process) {
        gpu_curve_add(&process->curve, reading->begin_s, reading->end_s, reading->busy,
                      reading->memory_mb);
    }
}

static void give(const struct gpu_credit *credit, struct tally *tally,
                 const struct gpu_stretch *stretch)
{
    const struct gpu_curve *curve = curve_of(credit, stretch->pid);
    struct profile_gpu part = gpu_curve_between(curve, stretch->begin_s, stretch->end_s);
    if (part.seen_s > 0) {
        tally_add_gpu(tally, stretch->spot, &part);
    }
}

void gpu_credit_add(struct gpu_credit *credit, struct tally *tally,
                    const struct gpu_stretch *stretch)
{
    const struct gpu_curve *curve = curve_of(credit, stretch->pid);
    if (!curve) {
        return;
    }
    if (stretch->end_s <= gpu_curve_end_s(curve)) {
        give(credit, tally, stretch);
        return;
    }
    if (credit->waiting_count == WAITING_MAX) { // readings have stopped: what there is must do
        for (size_t i = 0; i < WAITING_MAX; i++) {
            give(credit, tally, &credit->waiting[i]);
        }
        credit->waiting_count = 0;
    }
    credit->waiting = mem_grow(credit->waiting, credit->waiting_count, &credit->waiting_capacity,
                               sizeof *credit->waiting);
    credit->waiting[credit->waiting_count++] = *stretch;
}

static void settle(struct gpu_credit *credit, struct tally *tally, int ended_pid)
{
    size_t kept = 0;
    for (size_t i = 0; i < credit->waiting_count; i++) {
        const struct gpu_stretch *stretch = &credit->waiting[i];
        if (stretch->pid == ended_pid ||
            stretch->end_s <= gpu_curve_end_s(curve_of(credit, stretch->pid))) {
            give(credit, tally, stretch);
        } else {
            credit->waiting[kept++] = *stretch;
        }
    }
    credit->waiting_count = kept;
}

void gpu_credit_settle(struct gpu_credit *credit, struct tally *tally)
{
    settle(credit, tally, 0);
}

void gpu_credit_end(struct gpu_credit *credit, struct tally *tally, int pid)
{
    settle(credit, tally, pid);
    struct gpu_process *process = pid > 0 ? find(credit, pid) : NULL;
    if (process) {
        gpu_curve_clear(&process->curve);
        process->pid = 0;
    }
}

void gpu_credit_clear(struct gpu_credit *credit)
{
    for (size_t i = 0; i < credit->count; i++) {
        gpu_curve_clear(&credit->processes[i].curve);
    }
    free(credit->processes);
    free(credit->waiting);
    *credit = (struct gpu_credit){0};
}
