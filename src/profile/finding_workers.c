// SPDX-License-Identifier: Apache-2.0
// Processes that share work, but not evenly.

#include "profile/amount.h"
#include "profile/finding_scene.h"

#define WORKERS_MIN 3
#define UNEVEN      1.5 // the most of one, in means
#define LEAST_S     0.5

struct crew {
    int parent_pid;
    size_t count;
    double sum_s;
    double most_s;
    int most_pid;
};

// The children of one process that ran Python.
static struct crew crew_of(const struct profile *profile, int parent_pid)
{
    struct crew crew = {.parent_pid = parent_pid};
    for (size_t i = 0; i < profile->process_count; i++) {
        const struct profile_process *process = &profile->processes[i];
        if (process->parent_pid != parent_pid || !process->python_version) {
            continue;
        }
        crew.count++;
        crew.sum_s += process->cpu_s;
        if (process->cpu_s > crew.most_s) {
            crew.most_s = process->cpu_s;
            crew.most_pid = process->pid;
        }
    }
    return crew;
}

static void add_crew(struct scene *scene, const struct crew *crew)
{
    double mean_s = crew->sum_s / (double)crew->count;
    struct text text = {0};
    text_format(&text, "Of %zu worker processes, %d used ", crew->count, crew->most_pid);
    amount_duration(&text, crew->most_s);
    text_format(&text, " of CPU time, %.1f times the mean: the others wait for it.",
                crew->most_s / mean_s);
    struct finding *finding =
        finding_add(scene, "uneven-workers", 0.5 * (crew->most_s - mean_s) / crew->most_s, &text);
    finding_evidence(finding, "busiest worker", crew->most_s, "s", -1);
    finding_evidence(finding, "mean of the workers", mean_s, "s", -1);
    finding_advice(finding, "The kernel's account of each process's CPU time.",
                   "Divide the work into more and smaller pieces, handed out as workers become "
                   "free.");
    text_clear(&text);
}

void finding_workers(struct scene *scene)
{
    const struct profile *profile = scene->profile;
    for (size_t i = 0; i < profile->process_count; i++) {
        struct crew crew = crew_of(profile, profile->processes[i].pid);
        if (crew.count >= WORKERS_MIN && crew.most_s >= LEAST_S &&
            crew.most_s * (double)crew.count >= UNEVEN * crew.sum_s) {
            add_crew(scene, &crew);
            return;
        }
    }
}
