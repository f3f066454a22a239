// SPDX-License-Identifier: Apache-2.0
#pragma once

// One NVIDIA device: how busy it is by its own counter, asked ten times a second at most, and the
// processes that it knows with what each has and does there, once a second at most. A device that
// answers with an error is given up or asked again, as the error says.

#include "accel/nvml_api.h"
#include "accel/nvml_bus.h"
#include "accel/nvml_users.h"
#include "accel/pace.h"
#include "accel/source.h"

#define NVML_GPU_PERIOD_S 0.1

struct nvml_gpu {
    nvml_device handle;  // NULL: not attached yet
    struct nvml_bus bus; // by which it will be
    int minor;           // N of /dev/nvidiaN; -1: not known
    bool is_told;
    bool is_off; // given up
    bool is_mig; // shared out
    bool has_rates;
    bool has_news;   // of the last look: there is something to tell
    int refusals;    // in a row, to say how busy it is
    uint32_t number; // as told
    struct pace rate_pace;
    struct pace user_pace;
    struct nvml_users users;
    double begin_s; // since when `busy` is
    double busy;    // as last read; negative: not known
    double used_mb;
};

// One that is attached when it is first used; and one that only its number is known of, which has
// to be attached to tell more. False, with a note, when it cannot be.
void nvml_gpu_expect(struct nvml_gpu *gpu, const struct nvml_api *api, const struct nvml_bus *bus);
bool nvml_gpu_open(struct nvml_gpu *gpu, const struct nvml_api *api, unsigned index,
                   struct source_out *out);

bool nvml_gpu_is_open_in(const struct nvml_gpu *gpu, const struct use *use);

// Asks what is due; the first time it tells the device as well.
void nvml_gpu_look(struct nvml_gpu *gpu, const struct nvml_api *api, struct source_out *out,
                   const struct source_process *processes, size_t count);

// What a process has of it, as last read. A process that the device knows nothing of has nothing.
struct source_reading nvml_gpu_reading(const struct nvml_gpu *gpu, int pid);

// Whether it has anything there: one that has the device open and does nothing is not averaged.
bool nvml_gpu_has_part(const struct nvml_gpu *gpu, int pid);
