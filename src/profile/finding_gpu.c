// SPDX-License-Identifier: Apache-2.0
// The GPU and the program: one of them waits for the other.

#include <string.h>

#include "profile/amount.h"
#include "profile/finding_scene.h"

#define WAIT_PART     0.10 // of the elapsed time
#define WAIT_LEAST_S  0.05
#define STARVED_PART  0.30 // busy for less of the time that it was in use
#define STARVED_S     1.0  // in use for at least so long
#define READINGS_MIN  10   // each stands for a tenth of a second
#define STARVED_STAKE 0.5

static double gpu_wait_of_line(const struct profile_line *line)
{
    return line->times.wait_s[PROFILE_WAIT_gpu];
}

static double gap_of_line(const struct profile_line *line)
{
    return line->gpu.seen_s - line->gpu.busy_s;
}

static const char *scope_phrase(const struct profile_gpu_device *device)
{
    return strcmp(device->scope, "device") == 0 ? ", with the work of all processes" : "";
}

static void add_busy(struct finding *finding, const struct profile_gpu_device *device)
{
    finding_evidence(finding,
                     strcmp(device->scope, "device") == 0 ? "GPU busy, with all processes"
                                                          : "GPU busy with this program",
                     100 * device->busy_s / device->seen_s, "%", -1);
}

static bool is_measured(const struct profile_gpu_device *device)
{
    return strcmp(device->scope, "none") != 0 && device->seen_s > 0;
}

static void find_waiting(struct scene *scene)
{
    const struct profile *profile = scene->profile;
    double waited_s = profile->totals.wait_s[PROFILE_WAIT_gpu];
    if (waited_s < WAIT_LEAST_S || waited_s < WAIT_PART * profile->elapsed_s) {
        return;
    }
    struct scene_line worst = scene_heaviest(scene, gpu_wait_of_line);
    struct text text = {0};
    text_add(&text, "Threads waited ");
    amount_duration(&text, waited_s);
    text_add(&text, " for the GPU");
    scene_add_most(&text, scene, worst);
    text_add(&text, ".");
    double part = waited_s / profile->elapsed_s;
    double stake = waited_s / profile_total_s(profile);
    struct finding *finding = finding_add(scene, "gpu-wait", stake < 1 ? stake : 1, &text);
    finding_evidence(finding, "waiting for the GPU", waited_s, "s", -1);
    finding_evidence(finding, "of the elapsed time", 100 * part, "%", -1);
    for (size_t i = 0; i < profile->gpus.count; i++) {
        if (is_measured(&profile->gpus.devices[i])) {
            add_busy(finding, &profile->gpus.devices[i]);
            break;
        }
    }
    finding_place(finding, scene, worst);
    finding_advice(
        finding,
        "Waiting for a GPU is told by the driver's functions. A thread that sleeps in one was "
        "timed "
        "from its begin to its end; one that asks again and again, as with CUDA by default, was "
        "sampled.",
        "Let the CPU prepare the next piece of work meanwhile, ask for results later and "
        "less often, or give the GPU less to do.");
    text_clear(&text);
}

static void add_starved(struct scene *scene, const struct profile_gpu_device *device)
{
    double part = device->busy_s / device->seen_s;
    struct scene_line busy = scene_heaviest(scene, gap_of_line);
    struct text text = {0};
    text_format(&text, "The GPU %s was busy for only %.0f%% of the time that it was in use%s",
                device->name, 100 * part, scope_phrase(device));
    if (busy.line) {
        text_add(&text, "; meanwhile most time went by at ");
        scene_add_place(&text, scene, busy);
    }
    text_add(&text, ".");
    struct finding *finding = finding_add(scene, "gpu-starved", STARVED_STAKE * (1 - part), &text);
    add_busy(finding, device);
    finding_evidence(finding, "in use for", device->seen_s, "s", -1);
    if (busy.line) {
        finding_evidence(finding, "without work at that line", gap_of_line(busy.line), "s", -1);
    }
    finding_place(finding, scene, busy);
    finding_advice(
        finding,
        "The driver was asked ten times a second how busy it had been; a reading belongs "
        "to the lines that threads were on.",
        "Give it more at once (larger batches), prepare data beside it (threads, worker "
        "processes), or do without it.");
    text_clear(&text);
}

static void find_starved(struct scene *scene)
{
    const struct profile_gpus *gpus = &scene->profile->gpus;
    for (size_t i = 0; i < gpus->count; i++) {
        const struct profile_gpu_device *device = &gpus->devices[i];
        if (is_measured(device) && device->seen_s >= STARVED_S &&
            device->reading_count >= READINGS_MIN &&
            device->busy_s < STARVED_PART * device->seen_s) {
            add_starved(scene, device);
            return;
        }
    }
}

void finding_gpu(struct scene *scene)
{
    find_waiting(scene);
    find_starved(scene);
}
