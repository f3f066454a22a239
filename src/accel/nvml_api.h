// SPDX-License-Identifier: Apache-2.0
#pragma once

// NVIDIA's management library as its callers see it: found at run time, each function by its newest
// name. Sizes and places are those of 64-bit Linux; tests compare them with the vendor's own
// header.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// What its functions return; whatever else comes is as good as NVML_UNKNOWN.
enum nvml_status {
    NVML_OK = 0,
    NVML_UNINITIALIZED = 1,
    NVML_BAD_ARGUMENT = 2,
    NVML_NOT_SUPPORTED = 3,
    NVML_NO_PERMISSION = 4,
    NVML_NOT_FOUND = 6,
    NVML_TOO_SMALL = 7,
    NVML_NO_DRIVER = 9,
    NVML_TIMEOUT = 10,
    NVML_NO_LIBRARY = 12,
    NVML_NO_FUNCTION = 13,
    NVML_GPU_LOST = 15,
    NVML_NEEDS_RESET = 16,
    NVML_BLOCKED = 17, // by the cgroup
    NVML_MISMATCH = 18,
    NVML_BAD_VERSION = 25,
    NVML_NOT_READY = 27,
    NVML_NO_GPU = 28,
    NVML_UNKNOWN = 999,
};

struct nvml_rates {
    uint32_t gpu_percent;
    uint32_t memory_percent;
};

struct nvml_memory {
    uint64_t total;
    uint64_t free;
    uint64_t used;
};

struct nvml_memory_v2 {
    uint32_t version;
    uint64_t total;
    uint64_t reserved;
    uint64_t free;
    uint64_t used;
};

#define NVML_MEMORY_VERSION 0x02000028u

// One entry of a list of processes, as far as all drivers agree; the next begins 16, 24 or 32 bytes
// further, and which it is only the bytes themselves tell.
struct nvml_process {
    uint32_t pid;
    uint64_t used_bytes; // all ones: not known
};

#define NVML_PROCESS_STRIDE_MAX 32

struct nvml_process_rate {
    uint32_t pid;
    uint64_t time_us; // Unix time
    uint32_t sm_percent;
    uint32_t memory_percent;
    uint32_t encoder_percent;
    uint32_t decoder_percent;
};

// The same of newer drivers, in a list that says how long it is.
struct nvml_process_rate_v1 {
    uint64_t time_us;
    uint32_t pid;
    uint32_t sm_percent;
    uint32_t memory_percent;
    uint32_t encoder_percent;
    uint32_t decoder_percent;
    uint32_t jpeg_percent;
    uint32_t flow_percent;
};

struct nvml_process_rates_v1 {
    uint32_t version;
    uint32_t count;
    uint64_t since_us;
    struct nvml_process_rate_v1 *list;
};

#define NVML_PROCESS_RATES_VERSION 0x01000018u

typedef void *nvml_device; // the library's own

struct nvml_api {
    void *library;
    int (*init)(void);
    int (*shutdown)(void);
    int (*count)(unsigned *count);
    int (*by_index)(unsigned index, nvml_device *device);
    int (*by_bus)(const char *address, nvml_device *device);
    int (*name)(nvml_device device, char *name, unsigned size);
    int (*uuid)(nvml_device device, char *uuid, unsigned size);
    int (*minor)(nvml_device device, unsigned *minor);
    int (*rates)(nvml_device device, struct nvml_rates *rates);
    int (*memory)(nvml_device device, struct nvml_memory *memory);
    int (*memory_v2)(nvml_device device, struct nvml_memory_v2 *memory);
    int (*process_rates)(nvml_device device, struct nvml_process_rate *list, unsigned *count,
                         uint64_t since_us);
    int (*process_rates_v1)(nvml_device device, struct nvml_process_rates_v1 *rates);
    int (*compute_processes)(nvml_device device, unsigned *count, void *list);
    int (*graphics_processes)(nvml_device device, unsigned *count, void *list);
    int (*mps_processes)(nvml_device device, unsigned *count, void *list);
    int (*mig_mode)(nvml_device device, unsigned *now, unsigned *pending);
    int (*mig_max)(nvml_device device, unsigned *count);
    int (*mig_by_index)(nvml_device device, unsigned index, nvml_device *part);
};

// False when there is no such library; one that lacks the least that is needed is none.
bool nvml_api_open(struct nvml_api *api);
void nvml_api_close(struct nvml_api *api);

// The driver does not have that: asking again is in vain.
bool nvml_api_lacks(int status);

// Asked again it may answer: a driver that is not ready, or that does not know itself what is
// wrong.
bool nvml_api_may_pass(int status);

// What the code means, for a sentence that begins with "NVIDIA's driver".
const char *nvml_api_reason(int status);
