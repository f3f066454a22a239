// SPDX-License-Identifier: Apache-2.0
#include "profile/gpu.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"

void profile_gpu_add(struct profile_gpu *sum, const struct profile_gpu *part)
{
    sum->seen_s += part->seen_s;
    sum->busy_s += part->busy_s;
    sum->memory_mb_s += part->memory_mb_s;
    sum->peak_mb = fmax(sum->peak_mb, part->peak_mb);
}

double profile_gpu_percent(const struct profile_gpu *gpu)
{
    return gpu->seen_s > 0 ? fmax(0, fmin(100, 100 * gpu->busy_s / gpu->seen_s)) : 0;
}

double profile_gpu_average_mb(const struct profile_gpu *gpu)
{
    return gpu->seen_s > 0 ? fmin(gpu->peak_mb, gpu->memory_mb_s / gpu->seen_s) : 0;
}

struct profile_gpu_device *profile_gpus_add(struct profile_gpus *gpus, const char *vendor,
                                            const char *name, const char *id)
{
    gpus->devices = mem_grow(gpus->devices, gpus->count, &gpus->capacity, sizeof *gpus->devices);
    struct profile_gpu_device *device = &gpus->devices[gpus->count++];
    *device = (struct profile_gpu_device){
        .vendor = mem_copy_text(vendor),
        .name = mem_copy_text(name),
        .id = mem_copy_text(id),
        .scope = "none",
        .memory_scope = "none",
    };
    return device;
}

void profile_gpus_clear(struct profile_gpus *gpus)
{
    for (size_t i = 0; i < gpus->count; i++) {
        free(gpus->devices[i].vendor);
        free(gpus->devices[i].name);
        free(gpus->devices[i].id);
        free(gpus->devices[i].method);
        free(gpus->devices[i].points);
    }
    free(gpus->devices);
    *gpus = (struct profile_gpus){0};
}
