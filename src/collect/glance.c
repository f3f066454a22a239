// SPDX-License-Identifier: Apache-2.0
#include "collect/glance.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "base/mem.h"
#include "collect/run.h"
#include "collect/tally_data.h"

static double resident_mb(int pid)
{
    char path[64];
    unsigned long pages = 0;
    snprintf(path, sizeof path, "/proc/%d/statm", pid);
    FILE *file = fopen(path, "re");
    if (file) {
        if (fscanf(file, "%*u %lu", &pages) != 1) {
            pages = 0;
        }
        fclose(file);
    }
    return (double)pages * (double)sysconf(_SC_PAGESIZE) / PROFILE_MB;
}

static void look_at_processes(const struct collector *collector, struct glance *glance)
{
    for (size_t i = 0; i < collector->process_count; i++) {
        const struct process *process = collector->processes[i];
        glance->cpu_s += process->true_s;
        if (!process->is_gone) {
            glance->resident_mb += resident_mb(process->pid);
            glance->process_count++;
        }
    }
}

// A line that ran in several pools is several spots: the largest stands for it.
static void look_at_lines(const struct tally *tally, struct glance *glance)
{
    double *seconds = mem_alloc((tally->spot_count + 1) * sizeof *seconds);
    double total_s = 0;
    for (size_t i = 1; i < tally->spot_count; i++) {
        seconds[i] = profile_times_cpu_s(&tally->spots[i].times);
    }
    for (size_t i = 0; i < tally->pair_count; i++) {
        seconds[tally->pairs[i].spot] += tally->pairs[i].seconds;
    }
    for (size_t i = 0; i < tally->pool_count; i++) {
        total_s += tally->pools[i].sampled_s - tally->pools[i].unseen_s;
    }
    size_t hottest = 0;
    seconds[0] = 0;
    for (size_t i = 1; i < tally->spot_count; i++) {
        hottest = seconds[i] > seconds[hottest] ? i : hottest;
    }
    if (hottest > 0 && total_s > 0) {
        glance->file = tally->paths.texts[tally->spots[hottest].path];
        glance->line = tally->spots[hottest].line;
        glance->share = fmin(1, seconds[hottest] / total_s);
    }
    free(seconds);
}

void glance_take(struct collector *collector, struct glance *glance)
{
    *glance = (struct glance){0};
    look_at_processes(collector, glance);
    look_at_lines(collector->fold.tally, glance);
}
