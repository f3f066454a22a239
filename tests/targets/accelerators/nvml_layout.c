// SPDX-License-Identifier: Apache-2.0

// Compiled against NVIDIA's own header, where that can be had: layouts and codes are the vendor's.

#include <nvml.h>
#include <stddef.h>

#include "accel/nvml_api.h"

#define SAME(left, right)       _Static_assert((long)(left) == (long)(right), #left)
#define SAME_SIZE(ours, theirs) SAME(sizeof(struct ours), sizeof(theirs))
#define SAME_PLACE(ours, field, theirs, other) \
    SAME(offsetof(struct ours, field), offsetof(theirs, other))

SAME_SIZE(nvml_rates, nvmlUtilization_t);
SAME_PLACE(nvml_rates, gpu_percent, nvmlUtilization_t, gpu);
SAME_SIZE(nvml_memory, nvmlMemory_t);
SAME_PLACE(nvml_memory, used, nvmlMemory_t, used);
SAME_SIZE(nvml_memory_v2, nvmlMemory_v2_t);
SAME_PLACE(nvml_memory_v2, total, nvmlMemory_v2_t, total);
SAME_PLACE(nvml_memory_v2, used, nvmlMemory_v2_t, used);
SAME(NVML_MEMORY_VERSION, nvmlMemory_v2);
SAME_SIZE(nvml_process, nvmlProcessInfo_v1_t);
SAME_PLACE(nvml_process, used_bytes, nvmlProcessInfo_v2_t, usedGpuMemory);
SAME(24, sizeof(nvmlProcessInfo_v2_t));
SAME_SIZE(nvml_process_rate, nvmlProcessUtilizationSample_t);
SAME_PLACE(nvml_process_rate, time_us, nvmlProcessUtilizationSample_t, timeStamp);
SAME_PLACE(nvml_process_rate, sm_percent, nvmlProcessUtilizationSample_t, smUtil);
SAME_SIZE(nvml_process_rate_v1, nvmlProcessUtilizationInfo_v1_t);
SAME_PLACE(nvml_process_rate_v1, pid, nvmlProcessUtilizationInfo_v1_t, pid);
SAME_PLACE(nvml_process_rate_v1, sm_percent, nvmlProcessUtilizationInfo_v1_t, smUtil);
SAME_SIZE(nvml_process_rates_v1, nvmlProcessesUtilizationInfo_v1_t);
SAME_PLACE(nvml_process_rates_v1, count, nvmlProcessesUtilizationInfo_v1_t, processSamplesCount);
SAME_PLACE(nvml_process_rates_v1, since_us, nvmlProcessesUtilizationInfo_v1_t, lastSeenTimeStamp);
SAME_PLACE(nvml_process_rates_v1, list, nvmlProcessesUtilizationInfo_v1_t, procUtilArray);
SAME(NVML_PROCESS_RATES_VERSION, nvmlProcessesUtilizationInfo_v1);

SAME(NVML_OK, NVML_SUCCESS);
SAME(NVML_UNINITIALIZED, NVML_ERROR_UNINITIALIZED);
SAME(NVML_BAD_ARGUMENT, NVML_ERROR_INVALID_ARGUMENT);
SAME(NVML_NOT_SUPPORTED, NVML_ERROR_NOT_SUPPORTED);
SAME(NVML_NO_PERMISSION, NVML_ERROR_NO_PERMISSION);
SAME(NVML_NOT_FOUND, NVML_ERROR_NOT_FOUND);
SAME(NVML_TOO_SMALL, NVML_ERROR_INSUFFICIENT_SIZE);
SAME(NVML_NO_DRIVER, NVML_ERROR_DRIVER_NOT_LOADED);
SAME(NVML_TIMEOUT, NVML_ERROR_TIMEOUT);
SAME(NVML_NO_LIBRARY, NVML_ERROR_LIBRARY_NOT_FOUND);
SAME(NVML_NO_FUNCTION, NVML_ERROR_FUNCTION_NOT_FOUND);
SAME(NVML_GPU_LOST, NVML_ERROR_GPU_IS_LOST);
SAME(NVML_NEEDS_RESET, NVML_ERROR_RESET_REQUIRED);
SAME(NVML_BLOCKED, NVML_ERROR_OPERATING_SYSTEM);
SAME(NVML_MISMATCH, NVML_ERROR_LIB_RM_VERSION_MISMATCH);
SAME(NVML_BAD_VERSION, NVML_ERROR_ARGUMENT_VERSION_MISMATCH);
SAME(NVML_NOT_READY, NVML_ERROR_NOT_READY);
SAME(NVML_NO_GPU, NVML_ERROR_GPU_NOT_FOUND);
SAME(NVML_UNKNOWN, NVML_ERROR_UNKNOWN);
