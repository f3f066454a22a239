// SPDX-License-Identifier: Apache-2.0
#include "accel/nvml_api.h"

#include <dlfcn.h>
#include <string.h>

#include "accel/tree.h"

_Static_assert(sizeof(struct nvml_memory_v2) == 40, "the version names the size");
_Static_assert(sizeof(struct nvml_process) == 16, "the shortest of its sizes");
_Static_assert(sizeof(struct nvml_process_rate) == 32, "as the driver fills it");
_Static_assert(sizeof(struct nvml_process_rate_v1) == 40, "as the driver fills it");
_Static_assert(sizeof(struct nvml_process_rates_v1) == 24, "the version names the size");

#define NAME_MAX_COUNT 3

struct entry {
    size_t place; // of the pointer in struct nvml_api
    const char *names[NAME_MAX_COUNT];
};

#define PLACE(field) offsetof(struct nvml_api, field)

static const struct entry entries[] = {
    {PLACE(init), {"nvmlInit_v2", "nvmlInit"}},
    {PLACE(shutdown), {"nvmlShutdown"}},
    {PLACE(count), {"nvmlDeviceGetCount_v2", "nvmlDeviceGetCount"}},
    {PLACE(by_index), {"nvmlDeviceGetHandleByIndex_v2", "nvmlDeviceGetHandleByIndex"}},
    {PLACE(by_bus), {"nvmlDeviceGetHandleByPciBusId_v2", "nvmlDeviceGetHandleByPciBusId"}},
    {PLACE(name), {"nvmlDeviceGetName"}},
    {PLACE(uuid), {"nvmlDeviceGetUUID"}},
    {PLACE(minor), {"nvmlDeviceGetMinorNumber"}},
    {PLACE(rates), {"nvmlDeviceGetUtilizationRates"}},
    {PLACE(memory), {"nvmlDeviceGetMemoryInfo"}},
    {PLACE(memory_v2), {"nvmlDeviceGetMemoryInfo_v2"}},
    {PLACE(process_rates), {"nvmlDeviceGetProcessUtilization"}},
    {PLACE(process_rates_v1), {"nvmlDeviceGetProcessesUtilizationInfo"}},
    {PLACE(compute_processes),
     {"nvmlDeviceGetComputeRunningProcesses_v3", "nvmlDeviceGetComputeRunningProcesses_v2",
      "nvmlDeviceGetComputeRunningProcesses"}},
    {PLACE(graphics_processes),
     {"nvmlDeviceGetGraphicsRunningProcesses_v3", "nvmlDeviceGetGraphicsRunningProcesses_v2",
      "nvmlDeviceGetGraphicsRunningProcesses"}},
    {PLACE(mps_processes),
     {"nvmlDeviceGetMPSComputeRunningProcesses_v3", "nvmlDeviceGetMPSComputeRunningProcesses_v2",
      "nvmlDeviceGetMPSComputeRunningProcesses"}},
    {PLACE(mig_mode), {"nvmlDeviceGetMigMode"}},
    {PLACE(mig_max), {"nvmlDeviceGetMaxMigDeviceCount"}},
    {PLACE(mig_by_index), {"nvmlDeviceGetMigDeviceHandleByIndex"}},
};

// The name with the number first: without it may come a toolkit's stub, made for linking only.
static void *open_library(void)
{
    char path[TREE_PATH_MAX];
    if (tree_root()[0] != '\0') {
        return tree_path(path, "/lib/libnvidia-ml.so.1") ? dlopen(path, RTLD_NOW | RTLD_LOCAL)
                                                         : NULL;
    }
    static const char *const names[] = {"libnvidia-ml.so.1", "/usr/lib/wsl/lib/libnvidia-ml.so.1",
                                        "libnvidia-ml.so"};
    void *library = NULL;
    for (size_t i = 0; !library && i < sizeof names / sizeof *names; i++) {
        library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
    }
    return library;
}

static void find(struct nvml_api *api, const struct entry *entry)
{
    void *found = NULL;
    for (size_t i = 0; i < NAME_MAX_COUNT && entry->names[i] && !found; i++) {
        found = dlsym(api->library, entry->names[i]);
    }
    memcpy((char *)api + entry->place, &found, sizeof found);
}

bool nvml_api_open(struct nvml_api *api)
{
    *api = (struct nvml_api){.library = open_library()};
    if (!api->library) {
        return false;
    }
    for (size_t i = 0; i < sizeof entries / sizeof *entries; i++) {
        find(api, &entries[i]);
    }
    if (!api->init || !api->count || !api->by_index) {
        nvml_api_close(api);
        return false;
    }
    return true;
}

void nvml_api_close(struct nvml_api *api)
{
    dlclose(api->library);
    api->library = NULL;
}

bool nvml_api_lacks(int status)
{
    return status == NVML_NOT_SUPPORTED || status == NVML_NO_FUNCTION ||
           status == NVML_BAD_ARGUMENT || status == NVML_BAD_VERSION;
}

bool nvml_api_may_pass(int status)
{
    switch (status) {
    case NVML_OK:
    case NVML_UNINITIALIZED:
    case NVML_NO_PERMISSION:
    case NVML_NO_DRIVER:
    case NVML_NO_LIBRARY:
    case NVML_GPU_LOST:
    case NVML_NEEDS_RESET:
    case NVML_BLOCKED:
    case NVML_MISMATCH:
    case NVML_NO_GPU:
        return false;
    default:
        return !nvml_api_lacks(status);
    }
}

const char *nvml_api_reason(int status)
{
    switch (status) {
    case NVML_NOT_SUPPORTED:
    case NVML_NO_FUNCTION:
        return "does not support it";
    case NVML_NO_PERMISSION:
        return "gives no permission";
    case NVML_NO_DRIVER:
        return "is not loaded";
    case NVML_NO_LIBRARY:
        return "lacks a library of its own";
    case NVML_GPU_LOST:
        return "has lost the GPU";
    case NVML_NEEDS_RESET:
        return "asks for a reset of the GPU";
    case NVML_BLOCKED:
        return "is blocked by the container's control group";
    case NVML_MISMATCH:
        return "and its library are of different versions";
    case NVML_NO_GPU:
        return "finds no GPU";
    default:
        return "does not answer";
    }
}
