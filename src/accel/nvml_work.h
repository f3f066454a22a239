// SPDX-License-Identifier: Apache-2.0
#pragma once

// Who did the work of an NVIDIA device lately: the part that each process has of it. The driver
// remembers samples of every process for some seconds and is asked for those since the last time.

#include "accel/nvml_api.h"

#define NVML_WORK_MAX 256

struct nvml_work {
    bool is_missing;  // the driver does not tell
    uint64_t seen_us; // Unix time of the newest sample

    struct {
        uint32_t pid;
        double part; // of all that the device did; the sum is 1
    } parts[NVML_WORK_MAX];

    size_t count; // 0: nobody has been busy yet
};

void nvml_work_read(struct nvml_work *work, const struct nvml_api *api, nvml_device device);

// 0 when the process did none of it.
double nvml_work_part(const struct nvml_work *work, int pid);

// Samples as the driver tells them. Those that were seen before, or claim more than everything, are
// left out. Where nobody was busy, whoever was last stays the one.
void nvml_work_take(struct nvml_work *work, const struct nvml_process_rate *list, size_t count);
