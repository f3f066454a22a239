// SPDX-License-Identifier: Apache-2.0
#pragma once

// GPUs and other accelerators in a profile. What a line has of them is what they did *while* a
// thread was on it: work is started there or elsewhere, and goes on by itself. Waiting for it is a
// kind of wait (profile.h). docs/accelerators.md says what can be measured where.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Sums over the time that threads were on a line and readings tell of.
struct profile_gpu {
    double seen_s;      // that time
    double busy_s;      // of it, the accelerator's work
    double memory_mb_s; // memory times time
    double peak_mb;
};

struct profile_gpu_point {
    double t_s; // since the root process started: the end of the time that it stands for
    double busy_percent;
    double memory_mb;
};

struct profile_gpu_device {
    char *vendor;
    char *name;
    char *id;                 // UUID or PCI address; may be empty
    char *method;             // how it was read; NULL: not known
    bool knows_others;        // whether processes that are not the program's used it too,
    bool has_others;          // and then that some did
    const char *scope;        // of busy_percent: "process", "device" or "none"
    const char *memory_scope; // the same of memory
    double total_mb;          // 0: not known
    double busy_s;
    double seen_s;
    double memory_mb_s;
    double peak_mb;
    uint64_t reading_count;
    uint64_t failure_count;
    struct profile_gpu_point *points;
    size_t point_count;
    size_t point_capacity;
};

#define PROFILE_GPU_POINTS_MAX 1000

struct profile_gpus {
    bool is_used;        // the program opened one, and it could be read
    bool is_neuron;      // AWS Neuron, and nothing else
    bool is_device_wide; // some figures are of all processes of the machine
    struct profile_gpu_device *devices;
    size_t count;
    size_t capacity;
};

void profile_gpu_add(struct profile_gpu *sum, const struct profile_gpu *part);
double profile_gpu_percent(const struct profile_gpu *gpu);
double profile_gpu_average_mb(const struct profile_gpu *gpu);

// A new device without readings; the texts are copied.
struct profile_gpu_device *profile_gpus_add(struct profile_gpus *gpus, const char *vendor,
                                            const char *name, const char *id);
void profile_gpus_clear(struct profile_gpus *gpus);
