// SPDX-License-Identifier: Apache-2.0

// NVIDIA, through its management library. How busy a device is comes from its own counter; which
// part of it is the program's from the driver's list of processes. A container's processes have
// other numbers there: then the figure is the device's.

#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "accel/nvml_api.h"
#include "accel/nvml_gpu.h"
#include "accel/source.h"
#include "base/mem.h"

#define DEVICE_MAX     64u
#define START_TRIES    3
#define START_PAUSE_US 100000

struct nvml {
    struct nvml_api api;
    struct nvml_gpu gpus[DEVICE_MAX];
    size_t count;
};

static bool is_for(const struct use *use)
{
    return use->nvidia != 0 || use->has_dxg;
}

// A driver that is just being loaded is asked again.
static int start(const struct nvml_api *api, unsigned *count)
{
    int status = NVML_UNKNOWN;
    for (int i = 0; i < START_TRIES && nvml_api_may_pass(status); i++) {
        if (i > 0) {
            usleep(START_PAUSE_US);
        }
        status = api->init();
        status = status == NVML_OK ? api->count(count) : status;
    }
    return status == NVML_OK && *count == 0 ? NVML_NO_GPU : status;
}

// Where the kernel shows which is which, one is attached when the program uses it; else all are.
static void find_devices(struct nvml *nvml, unsigned count, struct source_out *out)
{
    struct nvml_bus shown[DEVICE_MAX];
    size_t shown_count = nvml->api.by_bus ? nvml_bus_find(shown, DEVICE_MAX) : 0;
    for (size_t i = 0; i < shown_count; i++) {
        nvml_gpu_expect(&nvml->gpus[nvml->count++], &nvml->api, &shown[i]);
    }
    for (unsigned i = 0; shown_count == 0 && i < count && i < DEVICE_MAX; i++) {
        nvml->count += nvml_gpu_open(&nvml->gpus[nvml->count], &nvml->api, i, out);
    }
}

static void *open_nvml(struct source_out *out)
{
    struct nvml *nvml = mem_alloc(sizeof *nvml);
    if (!nvml_api_open(&nvml->api)) {
        source_note(out, "The program uses an NVIDIA GPU, which was not measured: the driver's "
                         "library libnvidia-ml.so.1 is missing.");
        free(nvml);
        return NULL;
    }
    unsigned count = 0;
    int status = start(&nvml->api, &count);
    if (status != NVML_OK) {
        source_note(out, "The program uses an NVIDIA GPU, which was not measured: the driver %s.",
                    nvml_api_reason(status));
        free(nvml); // the library stays: some cannot be unloaded
        return NULL;
    }
    find_devices(nvml, count, out);
    return nvml;
}

static void close_nvml(void *state)
{
    struct nvml *nvml = state;
    if (nvml->api.shutdown) {
        nvml->api.shutdown();
    }
    free(nvml);
}

// What our processes have of a device, to each of them, and together as the device's reading. Of
// one that was not due each has what was last read, and the device's own curve waits.
static void pass_on(struct nvml_gpu *gpu, struct source_out *out, struct source_process *processes,
                    size_t count)
{
    if (gpu->is_off || !nvml_users_is_settled(&gpu->users)) {
        return;
    }
    struct source_reading sum = nvml_gpu_reading(gpu, 0); // nobody's, if processes are told apart
    bool is_first = true;
    for (size_t i = 0; i < count; i++) {
        if (!nvml_gpu_is_open_in(gpu, &processes[i].use) ||
            !nvml_gpu_has_part(gpu, processes[i].pid)) {
            continue;
        }
        struct source_reading reading = nvml_gpu_reading(gpu, processes[i].pid);
        source_process_add(&processes[i], &reading);
        if (is_first) {
            sum = reading;
        } else {
            sum.busy += reading.scope == MESSAGE_SCOPE_PROCESS ? reading.busy : 0;
            sum.memory_mb += reading.memory_scope == MESSAGE_SCOPE_PROCESS ? reading.memory_mb : 0;
        }
        is_first = false;
    }
    if (gpu->has_news) {
        out->begin_s = gpu->begin_s;
        sum.others = nvml_users_others(&gpu->users);
        source_tell_reading(out, gpu->number, &sum);
    }
}

// Who has a device open and does nothing on any is idle there, as far as that can be told.
static void add_idle(const struct nvml *nvml, struct source_process *process)
{
    const struct source_reading idle = {.scope = MESSAGE_SCOPE_PROCESS,
                                        .memory_scope = MESSAGE_SCOPE_PROCESS};
    for (size_t i = 0; i < nvml->count; i++) {
        const struct nvml_gpu *gpu = &nvml->gpus[i];
        if (!process->busy_count && !process->has_memory && !gpu->is_off &&
            nvml_gpu_is_open_in(gpu, &process->use) && nvml_users_are_told_apart(&gpu->users)) {
            source_process_add(process, &idle);
        }
    }
}

static bool is_used(const struct nvml_gpu *gpu, const struct source_process *processes,
                    size_t count)
{
    bool is_open = false;
    for (size_t i = 0; i < count && !is_open; i++) {
        is_open = nvml_gpu_is_open_in(gpu, &processes[i].use);
    }
    return is_open && !gpu->is_off;
}

static bool sample_nvml(void *state, struct source_out *out, struct source_process *processes,
                        size_t count)
{
    struct nvml *nvml = state;
    bool has_one = false;
    double begin_s = out->end_s;
    for (size_t i = 0; i < nvml->count; i++) {
        struct nvml_gpu *gpu = &nvml->gpus[i];
        if (is_used(gpu, processes, count)) {
            nvml_gpu_look(gpu, &nvml->api, out, processes, count);
            pass_on(gpu, out, processes, count);
            begin_s = gpu->has_news ? fmin(begin_s, gpu->begin_s) : begin_s;
        }
        has_one |= !gpu->is_off;
    }
    bool has_news = begin_s < out->end_s;
    for (size_t i = 0; i < count; i++) {
        if (has_news) {
            add_idle(nvml, &processes[i]);
        } else { // what was last read has been told
            source_process_forget(&processes[i]);
        }
    }
    out->begin_s = begin_s;
    return has_one;
}

const struct source source_nvml = {
    .name = "nvml",
    .method = "NVML",
    .period_s = NVML_GPU_PERIOD_S,
    .is_for = is_for,
    .open = open_nvml,
    .sample = sample_nvml,
    .close = close_nvml,
};
