// SPDX-License-Identifier: Apache-2.0
// Who held the peak, who allocates and copies without end.

#include <math.h>

#include "profile/amount.h"
#include "profile/finding_scene.h"

#define PEAK_PART      0.25 // of the footprint at its highest
#define PEAK_MB        10   // less is not worth a sentence
#define CHURN_TIMES    20   // of what was held at once
#define CHURN_MB       1024
#define CHURN_MB_S     200
#define CHURN_BLOCK_MB 0.001 // smaller blocks are Python's everyday objects
#define COPY_MB        1024
#define COPY_MB_S      100

static double at_peak_of_line(const struct profile_line *line)
{
    return line->memory.at_peak_mb - line->memory.live_error_mb;
}

static double copied_of_line(const struct profile_line *line)
{
    return line->memory.copied_mb;
}

static double moment_of_peak_s(const struct profile_footprint *footprint)
{
    double at_s = -1;
    double most_mb = 0;
    for (size_t i = 0; i < footprint->point_count; i++) {
        if (footprint->points[i].mb > most_mb) {
            most_mb = footprint->points[i].mb;
            at_s = footprint->points[i].t_s;
        }
    }
    return at_s;
}

static void add_peak(struct scene *scene, struct scene_line where)
{
    const struct profile_memory *memory = &where.line->memory;
    const struct profile_footprint *footprint = &scene->profile->footprint;
    double part = fmin(1, memory->at_peak_mb / footprint->max_mb);
    double at_s = moment_of_peak_s(footprint);
    struct text text = {0};
    scene_add_place(&text, scene, where);
    text_add(&text, " held ");
    scene_add_size(&text, memory->at_peak_mb, memory->live_error_mb);
    text_format(&text, " (%.0f%%) of the ", 100 * part);
    amount_size(&text, footprint->max_mb);
    text_add(&text, " in use at the peak");
    if (at_s >= 0) {
        text_add(&text, ", ");
        amount_duration(&text, at_s);
        text_add(&text, " after the start");
    }
    text_add(&text, ".");
    struct finding *finding = finding_add(scene, "peak-holder", part / 2, &text);
    finding_evidence(finding, "held at the peak", memory->at_peak_mb, "MB", memory->live_error_mb);
    finding_evidence(finding, "the peak", footprint->max_mb, "MB", -1);
    finding_place(finding, scene, where);
    finding_advice(
        finding, FINDING_HOW_HELD,
        "Does all of it have to be there at once? Work in pieces, release it earlier, or "
        "use a smaller type.");
    text_clear(&text);
}

static void find_peak(struct scene *scene)
{
    struct scene_line most = scene_heaviest(scene, at_peak_of_line);
    double max_mb = scene->profile->footprint.max_mb;
    if (most.line && max_mb >= PEAK_MB && at_peak_of_line(most.line) >= PEAK_PART * max_mb) {
        add_peak(scene, most);
    }
}

static double churn_of_line(const struct profile_line *line)
{
    const struct profile_memory *memory = &line->memory;
    double lower_mb = memory->allocated_mb - memory->error_mb;
    bool is_churn = memory->peak_mb > 0 && lower_mb >= CHURN_TIMES * memory->peak_mb &&
                    lower_mb >= CHURN_MB && memory->alloc_count > 0 &&
                    memory->allocated_mb / memory->alloc_count >= CHURN_BLOCK_MB;
    return is_churn ? lower_mb : 0;
}

static void add_volume(struct scene *scene, struct scene_line where, bool is_copy)
{
    const struct profile_memory *memory = &where.line->memory;
    double mb = is_copy ? memory->copied_mb : memory->allocated_mb;
    double rate = mb / scene->profile->elapsed_s;
    struct text text = {0};
    scene_add_place(&text, scene, where);
    text_add(&text, is_copy ? " copied " : " allocated ");
    amount_size(&text, mb);
    text_add(&text, ", ");
    amount_size(&text, rate);
    text_add(&text, " a second");
    if (!is_copy) {
        text_add(&text, ", but never held more than ");
        amount_size(&text, memory->peak_mb);
    }
    text_add(&text, ".");
    struct finding *finding =
        finding_add(scene, is_copy ? "copies" : "churn", is_copy ? 0.12 : 0.11, &text);
    finding_evidence(finding, is_copy ? "copied" : "allocated", mb, "MB",
                     is_copy ? -1 : memory->error_mb);
    finding_evidence(finding, "rate", rate, "MB/s", -1);
    finding_place(finding, scene, where);
    finding_advice(finding,
                   is_copy ? "The C library's copying functions, sampled by bytes."
                           : FINDING_HOW_HELD,
                   is_copy ? "Slice less, hand over views (memoryview, array views) instead of "
                             "copies, and mind conversions between types."
                           : "Use buffers again instead of making new ones on each pass.");
    text_clear(&text);
}

static void find_volume(struct scene *scene)
{
    double elapsed_s = scene->profile->elapsed_s;
    struct scene_line churn = scene_heaviest(scene, churn_of_line);
    struct scene_line copier = scene_heaviest(scene, copied_of_line);
    if (!(elapsed_s > 0)) {
        return;
    }
    if (churn.line && churn_of_line(churn.line) >= CHURN_MB_S * elapsed_s) {
        add_volume(scene, churn, false);
    }
    if (copier.line && copier.line->memory.copied_mb >= COPY_MB &&
        copier.line->memory.copied_mb >= COPY_MB_S * elapsed_s) {
        add_volume(scene, copier, true);
    }
}

void finding_memory(struct scene *scene)
{
    if (scene->profile->has_memory) {
        find_peak(scene);
        find_volume(scene);
    }
}
