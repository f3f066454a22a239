// SPDX-License-Identifier: Apache-2.0
#include "render/viewer_part.h"

#define SECOND_DECIMALS  6
#define PERCENT_DECIMALS 4
#define MB_DECIMALS      4

static double busy_percent(void *context, size_t row)
{
    return ((const struct profile_gpu_device *)context)->points[row].busy_percent;
}

static double memory_mb(void *context, size_t row)
{
    return ((const struct profile_gpu_device *)context)->points[row].memory_mb;
}

static double time_s(void *context, size_t row)
{
    return ((const struct profile_gpu_device *)context)->points[row].t_s;
}

static void write_device(struct viewer *viewer, struct profile_gpu_device *device)
{
    double busy = device->seen_s > 0 ? 100 * device->busy_s / device->seen_s : 0;
    writer_begin_object(viewer->writer);
    viewer_real(viewer, "busy_percent", busy, PERCENT_DECIMALS);
    viewer_text(viewer, "memory_scope", device->memory_scope);
    viewer_text(viewer, "name", device->name);
    viewer_real(viewer, "peak_mb", device->peak_mb, MB_DECIMALS);
    writer_key(viewer->writer, "samples");
    writer_begin_object(viewer->writer);
    viewer_column(viewer, "busy_percent", device->point_count, PERCENT_DECIMALS, busy_percent,
                  device);
    viewer_column(viewer, "mb", device->point_count, MB_DECIMALS, memory_mb, device);
    viewer_column(viewer, "t_s", device->point_count, SECOND_DECIMALS, time_s, device);
    writer_end_object(viewer->writer);
    viewer_text(viewer, "scope", device->scope);
    viewer_real(viewer, "total_mb", device->total_mb, MB_DECIMALS);
    viewer_text(viewer, "vendor", device->vendor);
    writer_end_object(viewer->writer);
}

void viewer_write_gpu_devices(struct viewer *viewer)
{
    writer_key(viewer->writer, "gpu_devices");
    writer_begin_list(viewer->writer);
    for (size_t i = 0; i < viewer->profile->gpus.count; i++) {
        write_device(viewer, &viewer->profile->gpus.devices[i]);
    }
    writer_end_list(viewer->writer);
}
