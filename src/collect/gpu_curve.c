// SPDX-License-Identifier: Apache-2.0
#include "collect/gpu_curve.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"

#define POINT_MAX 4096u // halved when full: the last 3 minutes are kept as they were read

static void add_up(struct gpu_point *point, const struct gpu_point *before)
{
    double width_s = point->end_s - point->begin_s;
    point->sum = before ? before->sum : (struct profile_gpu){0};
    point->sum.seen_s += width_s;
    point->sum.busy_s += width_s * point->busy;
    point->sum.memory_mb_s += width_s * point->memory_mb;
}

static struct gpu_point joined(const struct gpu_point *left, const struct gpu_point *right)
{
    double left_s = left->end_s - left->begin_s;
    double right_s = right->end_s - right->begin_s;
    double width_s = left_s + right_s;
    return (struct gpu_point){
        .begin_s = right->end_s - width_s,
        .end_s = right->end_s,
        .busy = (left->busy * left_s + right->busy * right_s) / width_s,
        .memory_mb = (left->memory_mb * left_s + right->memory_mb * right_s) / width_s,
        .peak_mb = fmax(left->peak_mb, right->peak_mb),
    };
}

static void halve(struct gpu_curve *curve)
{
    size_t kept = 0;
    for (size_t i = 0; i + 1 < curve->count; i += 2) {
        struct gpu_point point = joined(&curve->points[i], &curve->points[i + 1]);
        add_up(&point, kept > 0 ? &curve->points[kept - 1] : NULL);
        curve->points[kept++] = point;
    }
    curve->count = kept;
}

void gpu_curve_add(struct gpu_curve *curve, double begin_s, double end_s, double busy,
                   double memory_mb)
{
    begin_s = fmax(begin_s, gpu_curve_end_s(curve));
    if (!(end_s > begin_s) || !isfinite(busy) || !isfinite(memory_mb)) {
        return;
    }
    if (curve->count == POINT_MAX) {
        halve(curve);
    }
    curve->points = mem_grow(curve->points, curve->count, &curve->capacity, sizeof *curve->points);
    struct gpu_point *point = &curve->points[curve->count];
    *point = (struct gpu_point){.begin_s = begin_s,
                                .end_s = end_s,
                                .busy = busy,
                                .memory_mb = memory_mb,
                                .peak_mb = memory_mb};
    add_up(point, curve->count > 0 ? point - 1 : NULL);
    curve->count++;
}

double gpu_curve_end_s(const struct gpu_curve *curve)
{
    return curve->count > 0 ? curve->points[curve->count - 1].end_s : -INFINITY;
}

// The first that ends after that moment; count: none does.
static size_t find(const struct gpu_curve *curve, double time_s)
{
    size_t low = 0;
    size_t high = curve->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (curve->points[middle].end_s > time_s) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return low;
}

// All until that moment.
static struct profile_gpu until(const struct gpu_curve *curve, size_t index, double time_s)
{
    struct profile_gpu sum = index > 0 ? curve->points[index - 1].sum : (struct profile_gpu){0};
    if (index < curve->count && time_s > curve->points[index].begin_s) {
        const struct gpu_point *point = &curve->points[index];
        double part_s = time_s - point->begin_s;
        sum.seen_s += part_s;
        sum.busy_s += part_s * point->busy;
        sum.memory_mb_s += part_s * point->memory_mb;
    }
    return sum;
}

struct profile_gpu gpu_curve_between(const struct gpu_curve *curve, double begin_s, double end_s)
{
    size_t first = find(curve, begin_s);
    size_t last = find(curve, end_s);
    struct profile_gpu before = until(curve, first, begin_s);
    struct profile_gpu sum = until(curve, last, end_s);
    sum.seen_s -= before.seen_s;
    sum.busy_s -= before.busy_s;
    sum.memory_mb_s -= before.memory_mb_s;
    for (size_t i = first; i <= last && i < curve->count; i++) {
        if (curve->points[i].begin_s < end_s) {
            sum.peak_mb = fmax(sum.peak_mb, curve->points[i].peak_mb);
        }
    }
    return sum;
}

void gpu_curve_clear(struct gpu_curve *curve)
{
    free(curve->points);
    *curve = (struct gpu_curve){0};
}
