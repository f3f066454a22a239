// SPDX-License-Identifier: Apache-2.0
#include "profile/finding.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "profile/finding_scene.h"
#include "profile/profile.h"

const char *const finding_severity_names[FINDING_SEVERITY_COUNT] = {

#define X(name) #name,
    FINDING_SEVERITIES(X)
#undef X
};

static void (*const families[])(struct scene *scene) = {
    finding_cpu, finding_loop,  finding_native, finding_gil,    finding_lock,    finding_wait,
    finding_gpu, finding_async, finding_leak,   finding_memory, finding_workers, finding_quality,
};

static void clear_finding(struct finding *finding)
{
    for (size_t i = 0; i < finding->evidence_count; i++) {
        free(finding->evidence[i].label);
        free(finding->evidence[i].unit);
    }
    for (size_t i = 0; i < finding->place_count; i++) {
        free(finding->places[i].file);
        free(finding->places[i].function);
        free(finding->places[i].thread);
    }
    free(finding->id);
    free(finding->sentence);
    free(finding->how_measured);
    free(finding->next_step);
}

void finding_list_clear(struct finding_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        clear_finding(&list->items[i]);
    }
    free(list->items);
    *list = (struct finding_list){0};
}

static int compare_weights(const void *left, const void *right)
{
    const struct finding *a = left;
    const struct finding *b = right;
    if (a->weight != b->weight) {
        return a->weight > b->weight ? -1 : 1;
    }
    return strcmp(a->sentence, b->sentence);
}

static void keep_weightiest(struct finding_list *list)
{
    if (list->count > 0) {
        qsort(list->items, list->count, sizeof *list->items, compare_weights);
    }
    while (list->count > FINDING_MAX) {
        clear_finding(&list->items[--list->count]);
        list->left_out++;
    }
}

// The original's shares are of all time already.
static double cpu_part_of(const struct profile *profile)
{
    if (profile->format_version == 0) {
        return 1;
    }
    double total_s = profile_total_s(profile);
    double cpu_s = profile_times_cpu_s(&profile->totals);
    return total_s > cpu_s ? cpu_s / total_s : 1;
}

void finding_search(struct profile *profile)
{
    size_t count = profile->file_count + 1;
    struct scene scene = {
        .profile = profile,
        .cpu_s = profile_times_cpu_s(&profile->totals),
        .cpu_part = cpu_part_of(profile),
        .findings = &profile->findings,
        .sources = mem_alloc(count * sizeof *scene.sources),
        .blocks = mem_alloc(count * sizeof *scene.blocks),
        .has_source = mem_alloc(count * sizeof *scene.has_source),
        .locks = mem_alloc(count * sizeof *scene.locks),
        .has_locks = mem_alloc(count * sizeof *scene.has_locks),
    };
    finding_list_clear(&profile->findings);
    for (size_t i = 0; i < sizeof families / sizeof *families; i++) {
        families[i](&scene);
    }
    keep_weightiest(&profile->findings);
    for (size_t i = 0; i < profile->file_count; i++) {
        source_clear(&scene.sources[i]);
        block_list_clear(&scene.blocks[i]);
        lock_span_list_clear(&scene.locks[i]);
    }
    free(scene.sources);
    free(scene.blocks);
    free(scene.has_source);
    free(scene.locks);
    free(scene.has_locks);
}
