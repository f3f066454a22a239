// SPDX-License-Identifier: Apache-2.0
// How far the profile itself can be trusted, and what it did not look at.

#include <inttypes.h>
#include <math.h>

#include "profile/amount.h"
#include "profile/finding_scene.h"

#define SAMPLES_MIN    200
#define LOST_PART      0.01
#define OUTSIDE_PART   0.20 // of the CPU time
#define OUTSIDE_S      0.1
#define WORST_SHARE_SD 0.5 // of a share, at most: that of one half
#define INFO_WEIGHT    0.01

static void add_few(struct scene *scene, uint64_t count)
{
    double error = 100 * SCENE_QUANTILE * WORST_SHARE_SD / sqrt((double)count);
    struct text text = {0};
    text_format(&text,
                "There %s only %" PRIu64 " sample%s of CPU time: a share may be off by up to %.0f "
                "points.",
                count == 1 ? "is" : "are", count, count == 1 ? "" : "s", fmin(100, ceil(error)));
    struct finding *finding = finding_add(scene, "few-samples", INFO_WEIGHT, &text);
    finding->severity = FINDING_info;
    finding_evidence(finding, "samples", (double)count, "", -1);
    finding_advice(finding, "Counted.",
                   "Let the program run longer, or take more samples: scalene run "
                   "--cpu-sampling-rate 0.001 prog.py");
    text_clear(&text);
}

static void add_lost(struct scene *scene, double part)
{
    struct text text = {0};
    text_format(&text,
                "%.0f%% of the samples of CPU time were lost: what is shown may lack some "
                "of the busiest moments.",
                100 * part);
    struct finding *finding = finding_add(scene, "samples-lost", INFO_WEIGHT, &text);
    finding->severity = FINDING_info;
    finding_evidence(finding, "lost", 100 * part, "%", -1);
    finding_advice(finding, "Counted where they could not be handed over.",
                   "Give the profiler a core, or sample less often: scalene run "
                   "--cpu-sampling-rate 0.02 prog.py");
    text_clear(&text);
}

static void add_outside(struct scene *scene, double outside_s)
{
    double part = outside_s / scene->cpu_s;
    struct text text = {0};
    text_format(&text, "%.0f%% of the CPU time (", 100 * part);
    amount_duration(&text, outside_s);
    text_add(&text, ") was spent outside the profiled files.");
    struct finding *finding =
        finding_add(scene, "outside-files", part * scene->cpu_part / 4, &text);
    finding->severity = FINDING_info;
    finding_evidence(finding, "CPU time of no profiled line", outside_s, "s", -1);
    finding_advice(finding,
                   "CPU time whose stack has no line of a profiled file: start-up, exit, native "
                   "threads, other files.",
                   "To see all of it: scalene run --profile-all prog.py");
    text_clear(&text);
}

void finding_quality(struct scene *scene)
{
    const struct profile_quality *quality = &scene->profile->quality;
    if (scene->profile->format_version == 0) {
        return;
    }
    double all = (double)quality->cpu_samples + (double)quality->cpu_samples_lost;
    if (quality->cpu_samples > 0 && quality->cpu_samples < SAMPLES_MIN) {
        add_few(scene, quality->cpu_samples);
    }
    if (all >= SAMPLES_MIN && (double)quality->cpu_samples_lost > LOST_PART * all) {
        add_lost(scene, (double)quality->cpu_samples_lost / all);
    }
    if (quality->cpu_unattributed_s >= OUTSIDE_S &&
        quality->cpu_unattributed_s >= OUTSIDE_PART * scene->cpu_s) {
        add_outside(scene, quality->cpu_unattributed_s);
    }
}
