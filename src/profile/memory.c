// SPDX-License-Identifier: Apache-2.0
#include "profile/memory.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/mem.h"

// The sum of two step functions, at the moments of both.
static size_t add_points(const struct profile_memory *left, const struct profile_memory *right,
                         struct profile_point *sums)
{
    size_t count = 0;
    double left_mb = 0;
    double right_mb = 0;
    for (size_t i = 0, j = 0; i < left->point_count || j < right->point_count;) {
        bool is_left = j == right->point_count ||
                       (i < left->point_count && left->points[i].t_s <= right->points[j].t_s);
        double t_s = is_left ? left->points[i].t_s : right->points[j].t_s;
        if (is_left) {
            left_mb = left->points[i++].mb;
        } else {
            right_mb = right->points[j++].mb;
        }
        sums[count++] = (struct profile_point){t_s, left_mb + right_mb};
    }
    return count;
}

// Of each two neighbours the higher, until there are few enough.
static size_t thin_points(struct profile_point *points, size_t count)
{
    while (count > PROFILE_MEMORY_POINT_MAX) {
        size_t kept = 0;
        for (size_t i = 0; i < count; i += 2) {
            bool is_next = i + 1 < count && points[i + 1].mb > points[i].mb;
            points[kept++] = points[is_next ? i + 1 : i];
        }
        count = kept;
    }
    return count;
}

static void join_points(struct profile_memory *sum, const struct profile_memory *part)
{
    size_t room = sum->point_count + part->point_count;
    if (part->point_count == 0) {
        return;
    }
    struct profile_point *points = mem_alloc(room * sizeof *points);
    size_t count = add_points(sum, part, points);
    for (size_t i = 0; i < count; i++) {
        sum->peak_mb = fmax(sum->peak_mb, points[i].mb);
    }
    free(sum->points);
    sum->points = points;
    sum->point_count = thin_points(points, count);
}

void profile_memory_add(struct profile_memory *sum, const struct profile_memory *part)
{
    sum->allocated_mb += part->allocated_mb;
    sum->python_mb += part->python_mb;
    sum->usage_fraction += part->usage_fraction;
    sum->alloc_count += part->alloc_count;
    sum->error_mb = hypot(sum->error_mb, part->error_mb);
    sum->live_error_mb = hypot(sum->live_error_mb, part->live_error_mb);
    sum->peak_mb = fmax(sum->peak_mb, part->peak_mb);
    sum->average_mb = fmin(sum->average_mb + part->average_mb, sum->peak_mb);
    sum->at_peak_mb += part->at_peak_mb;
    sum->at_end_mb += part->at_end_mb;
    sum->copied_mb += part->copied_mb;
    join_points(sum, part);
    sum->peak_mb = fmax(sum->peak_mb, fmax(sum->at_peak_mb, sum->average_mb));
}

void profile_memory_clear(struct profile_memory *memory)
{
    free(memory->points);
    *memory = (struct profile_memory){0};
}
