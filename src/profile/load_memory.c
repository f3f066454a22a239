// SPDX-License-Identifier: Apache-2.0
#include "profile/load_memory.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "profile/field.h"

#define NS_PER_S  1e9
#define POINT_MAX 1000u // of a list that somebody else wrote

static double positive(const json_t *number)
{
    double value = json_number_value(number);
    return isfinite(value) && value > 0 ? value : 0;
}

// In the order of their times, as they should be: what goes back is left out.
static struct profile_point *load_points(const json_t *list, size_t *count)
{
    size_t listed = json_array_size(list);
    listed = listed < POINT_MAX ? listed : POINT_MAX;
    struct profile_point *points = mem_alloc((listed + 1) * sizeof *points);
    *count = 0;
    for (size_t i = 0; i < listed; i++) {
        const json_t *pair = json_array_get(list, i);
        struct profile_point point = {positive(json_array_get(pair, 0)) / NS_PER_S,
                                      positive(json_array_get(pair, 1))};
        if (json_array_size(pair) == 2 && (*count == 0 || point.t_s >= points[*count - 1].t_s)) {
            points[(*count)++] = point;
        }
    }
    return points;
}

void load_memory(const struct profile *profile, const json_t *object, struct profile_memory *memory)
{
    double python_fraction = fmin(1, field_real(object, "n_python_fraction"));
    memory->allocated_mb = field_real(object, "n_malloc_mb");
    memory->python_mb = memory->allocated_mb * python_fraction;
    memory->usage_fraction = fmin(1, field_real(object, "n_usage_fraction"));
    memory->alloc_count = field_real(object, "alloc_count");
    memory->error_mb = field_real(object, "alloc_error_mb");
    memory->live_error_mb = field_real(object, "live_error_mb");
    memory->peak_mb = field_real(object, "n_peak_mb");
    memory->average_mb = fmin(field_real(object, "n_avg_mb"), memory->peak_mb);
    memory->at_peak_mb = field_real(object, "live_at_peak_mb");
    memory->at_end_mb = field_real(object, "live_at_end_mb");
    memory->copied_mb = profile->format_version == 0
                            ? field_real(object, "n_copy_mb_s") * profile->elapsed_s
                            : field_real(object, "copy_mb");
    free(memory->points);
    memory->points = load_points(json_object_get(object, "memory_samples"), &memory->point_count);
}

void load_footprint(const json_t *root, struct profile *profile)
{
    const json_t *totals = json_object_get(root, "totals");
    struct profile_footprint *footprint = &profile->footprint;
    profile->has_memory = field_bool(root, "memory");
    footprint->max_mb = field_real(root, "max_footprint_mb");
    footprint->python_fraction = fmin(1, field_real(root, "max_footprint_python_fraction"));
    footprint->growth_percent = fmin(100, field_real(root, "growth_rate"));
    footprint->native_allocated_mb = field_real(root, "native_allocations_mb");
    footprint->event_count = field_count(root, "alloc_samples");
    footprint->path = field_text(root, "max_footprint_fname");
    footprint->line = field_integer(root, "max_footprint_lineno");
    footprint->allocated_mb = field_real(totals, "malloc_mb");
    footprint->native_at_peak_mb = field_real(totals, "native_at_peak_mb");
    footprint->file_mapped_mb = field_real(totals, "file_mapped_mb");
    footprint->shared_mb = field_real(totals, "shared_mb");
    double unattributed = json_number_value(json_object_get(totals, "unattributed_at_peak_mb"));
    footprint->unattributed_at_peak_mb = isfinite(unattributed) ? unattributed : 0;
    footprint->points = load_points(json_object_get(root, "samples"), &footprint->point_count);
}
