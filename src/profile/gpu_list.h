// SPDX-License-Identifier: Apache-2.0
#pragma once

// What a profile's JSON says about accelerators: "gpu", "gpu_device", "gpu_devices", and a record's
// fields.

#include <jansson.h>

#include "profile/gpu.h"
#include "profile/writer.h"

void gpu_list_write(struct writer *writer, const struct profile_gpus *gpus);
void gpu_list_load(const json_t *root, struct profile_gpus *gpus);

// Of one line or function.
void gpu_list_load_record(const json_t *object, struct profile_gpu *gpu);
