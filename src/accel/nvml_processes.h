// SPDX-License-Identifier: Apache-2.0
#pragma once

// The processes that an NVIDIA device knows, with the memory that each has there.

#include "accel/nvml_api.h"

#define NVML_PROCESSES_MAX 256

struct nvml_processes {
    struct nvml_process list[NVML_PROCESSES_MAX]; // each process once
    size_t count;
};

// Of compute, graphics and shared contexts together. Returns an enum nvml_status; what could be had
// is in the list also when it is not NVML_OK.
int nvml_processes_read(const struct nvml_api *api, nvml_device device,
                        struct nvml_processes *processes);

// NULL: the device does not know it.
const struct nvml_process *nvml_processes_find(const struct nvml_processes *processes, int pid);

// How far apart entries lie: a list that was filled with `mark` before, of `count` entries.
size_t nvml_processes_stride(const uint8_t *bytes, size_t count, uint8_t mark);
