// SPDX-License-Identifier: Apache-2.0
#include "collect/gpu_call.h"

#include <string.h>

#define NO  1u
#define YES 2u

static const char *const runtimes[] = {
    "libcuda.so",   "libcudart",  "libamdhip64", "libhsa-runtime64", "libhsakmt",
    "libOpenCL.so", "libze_",     "libnrt.so",   "libnvidia-opencl", "libamdocl64",
    "libigdrcl",    "libneuron_", "libpjrt_",    "libRusticlOpenCL", "libMesaOpenCL",
    "libdrm", // through which Mesa's wait
};

// Names, or their beginnings where a star stands. What has Async in its name returns at once, but
// for copies to the host: into memory that is not pinned, which is the usual, they return when they
// are done, and that is how frameworks wait for a result.
static const char *const waiting[] = {
    "cuStreamSynchronize*",
    "cuCtxSynchronize*",
    "cuEventSynchronize*",
    "cuMemcpy*",
    "cuMemcpyAsync*",
    "cuMemcpyDtoHAsync*",
    "cuMemsetD*",
    "cudaStreamSynchronize*",
    "cudaDeviceSynchronize*",
    "cudaEventSynchronize*",
    "cudaThreadSynchronize",
    "cudaMemcpy*",
    "cudaMemcpyAsync*",
    "hipStreamSynchronize*",
    "hipDeviceSynchronize*",
    "hipEventSynchronize*",
    "hipMemcpy*",
    "hipMemcpyAsync*",
    "hipMemcpyDtoHAsync*",
    "hsa_signal_wait_*",
    "hsaKmtWaitOn*",
    "clFinish",
    "clWaitForEvents",
    "zeCommandQueueSynchronize",
    "zeCommandListHostSynchronize",
    "zeEventHostSynchronize",
    "zeFenceHostSynchronize",
    "nrt_execute*",
    "nrt_tensor_read",
    "nrt_tensor_write",
    "nrt_async_wait*",
};

static bool is_async(const char *name)
{
    return strstr(name, "Async") != NULL;
}

static bool fits(const char *function, const char *pattern)
{
    size_t len = strcspn(pattern, "*");
    bool is_whole = pattern[len] == '\0';
    return strncmp(function, pattern, len) == 0 && (!is_whole || function[len] == '\0') &&
           is_async(function) == is_async(pattern);
}

bool gpu_calls_waits(const char *function)
{
    for (size_t i = 0; i < sizeof waiting / sizeof *waiting; i++) {
        if (fits(function, waiting[i]) && !strstr(function, "Peer")) {
            return true;
        }
    }
    return false;
}

static bool is_runtime_name(const char *name)
{
    for (size_t i = 0; i < sizeof runtimes / sizeof *runtimes; i++) {
        if (strncmp(name, runtimes[i], strlen(runtimes[i])) == 0) {
            return true;
        }
    }
    return false;
}

bool gpu_calls_is_runtime(struct gpu_calls *calls, const struct image *image)
{
    if (!image) {
        return false;
    }
    uint64_t key = (uint64_t)image_index(image) + 1;
    uint64_t known = map_get(&calls->images, key);
    if (known == 0) {
        known = is_runtime_name(symbol_module(image)) ? YES : NO;
        map_put(&calls->images, key, known);
    }
    return known == YES;
}

static bool frame_waits(struct gpu_calls *calls, const struct unwind_frame *frame)
{
    uint64_t where = frame->function ? frame->function - frame->bias : unwind_frame_address(frame);
    uint64_t key = map_key((uint64_t)image_index(frame->image) + 1, where + 1);
    uint64_t known = map_get(&calls->functions, key);
    if (known == 0) {
        const char *name = symbol_name(calls->symbols, frame->image, unwind_frame_address(frame));
        known = gpu_calls_waits(name) ? YES : NO;
        map_put(&calls->functions, key, known);
    }
    return known == YES;
}

bool gpu_calls_is_waiting(struct gpu_calls *calls, const struct unwind_frame *chain, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (gpu_calls_is_runtime(calls, chain[i].image) && frame_waits(calls, &chain[i])) {
            return true;
        }
    }
    return false;
}

void gpu_calls_clear(struct gpu_calls *calls)
{
    map_clear(&calls->images);
    map_clear(&calls->functions);
}
