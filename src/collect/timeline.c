// SPDX-License-Identifier: Apache-2.0
#include "collect/timeline.h"

#include <stdlib.h>

#include "base/mem.h"

#define RUN_MAX 100000u

// Every two neighbours of a thread become one: the shape over time stays.
static void join_neighbours(struct timeline *timeline)
{
    struct map open = {0};
    size_t kept = 0;
    for (size_t i = 0; i < timeline->count; i++) {
        struct timeline_run run = timeline->runs[i];
        uint64_t first = map_get(&open, run.thread_id);
        if (first != 0 && first != UINT64_MAX) {
            timeline->runs[first - 1].count += run.count;
            map_put(&open, run.thread_id, UINT64_MAX);
            continue;
        }
        timeline->runs[kept++] = run;
        map_put(&open, run.thread_id, kept);
    }
    timeline->count = kept;
    map_clear(&open);
}

static void drop_every_other(struct timeline *timeline)
{
    size_t kept = 0;
    for (size_t i = 0; i < timeline->count; i += 2) {
        timeline->runs[kept++] = timeline->runs[i];
    }
    timeline->count = kept;
}

static void thin(struct timeline *timeline)
{
    join_neighbours(timeline);
    if (timeline->count > RUN_MAX / 4 * 3) { // threads too short to have neighbours
        drop_every_other(timeline);
    }
    map_clear(&timeline->last_runs);
}

void timeline_add(struct timeline *timeline, uint64_t thread_id, uint32_t stack, double time_s)
{
    uint64_t last = map_get(&timeline->last_runs, thread_id);
    if (last != 0 && timeline->runs[last - 1].stack == stack) {
        timeline->runs[last - 1].count++;
        return;
    }
    if (timeline->count == RUN_MAX) {
        thin(timeline);
    }
    timeline->runs =
        mem_grow(timeline->runs, timeline->count, &timeline->capacity, sizeof *timeline->runs);
    timeline->runs[timeline->count++] = (struct timeline_run){time_s, stack, 1, thread_id};
    map_put(&timeline->last_runs, thread_id, timeline->count);
}

void timeline_renumber(struct timeline *timeline, const uint32_t *numbers)
{
    size_t kept = 0;
    for (size_t i = 0; i < timeline->count; i++) {
        uint32_t number = numbers[timeline->runs[i].stack];
        if (number != TIMELINE_GONE) {
            timeline->runs[kept] = timeline->runs[i];
            timeline->runs[kept++].stack = number;
        }
    }
    timeline->count = kept;
    map_clear(&timeline->last_runs);
}

void timeline_fill(const struct timeline *timeline, struct profile *profile)
{
    double first_s = timeline->count > 0 ? timeline->runs[0].time_s : 0;
    for (size_t i = 0; i < timeline->count; i++) {
        first_s = timeline->runs[i].time_s < first_s ? timeline->runs[i].time_s : first_s;
    }
    profile->timeline_start_s = first_s;
    for (size_t i = 0; i < timeline->count; i++) {
        const struct timeline_run *run = &timeline->runs[i];
        profile->timeline = mem_grow(profile->timeline, profile->timeline_count,
                                     &profile->timeline_capacity, sizeof *profile->timeline);
        profile->timeline[profile->timeline_count++] =
            (struct profile_run){run->time_s - first_s, run->stack, run->count, run->thread_id};
    }
}

void timeline_clear(struct timeline *timeline)
{
    map_clear(&timeline->last_runs);
    free(timeline->runs);
    *timeline = (struct timeline){0};
}
