// SPDX-License-Identifier: Apache-2.0
#include "accel/nvml_gpu.h"

#include <stdio.h>

#define USER_PERIOD_S 1.0
#define PATIENCE      3 // answers that it is not ready, before a device is given up
#define BYTES_PER_MB  1048576.0

static struct nvml_gpu new_gpu(const struct nvml_api *api)
{
    return (struct nvml_gpu){.minor = -1,
                             .has_rates = api->rates != NULL,
                             .rate_pace = {.period_s = NVML_GPU_PERIOD_S},
                             .user_pace = {.period_s = USER_PERIOD_S},
                             .busy = -1,
                             .used_mb = -1};
}

static void look_for_mig(struct nvml_gpu *gpu, const struct nvml_api *api)
{
    unsigned pending;
    unsigned now = 0;
    if (api->mig_mode && api->mig_mode(gpu->handle, &now, &pending) == NVML_OK) {
        gpu->is_mig = now == 1;
    }
}

void nvml_gpu_expect(struct nvml_gpu *gpu, const struct nvml_api *api, const struct nvml_bus *bus)
{
    *gpu = new_gpu(api);
    gpu->bus = *bus;
    gpu->minor = bus->minor;
}

static void attach(struct nvml_gpu *gpu, const struct nvml_api *api, struct source_out *out)
{
    int status = api->by_bus(gpu->bus.address, &gpu->handle);
    gpu->is_off = status != NVML_OK;
    if (gpu->is_off) {
        source_note(out, "NVIDIA GPU %d was not measured: the driver %s.", gpu->minor,
                    nvml_api_reason(status));
    } else {
        look_for_mig(gpu, api);
    }
}

bool nvml_gpu_open(struct nvml_gpu *gpu, const struct nvml_api *api, unsigned index,
                   struct source_out *out)
{
    *gpu = new_gpu(api);
    int status = api->by_index(index, &gpu->handle);
    if (status != NVML_OK) {
        source_note(out, "NVIDIA GPU %u was not measured: the driver %s.", index,
                    nvml_api_reason(status));
        return false;
    }
    unsigned minor;
    if (api->minor && api->minor(gpu->handle, &minor) == NVML_OK) {
        gpu->minor = (int)minor;
    }
    look_for_mig(gpu, api);
    return true;
}

// Where devices have no files of their own, or do not tell which, whoever uses one may use all.
bool nvml_gpu_is_open_in(const struct nvml_gpu *gpu, const struct use *use)
{
    if (use->has_dxg || (gpu->minor < 0 && use->nvidia != 0)) {
        return true;
    }
    return gpu->minor >= 0 && gpu->minor < 64 && (use->nvidia >> gpu->minor & 1) != 0;
}

// Of its own memory. A device that shares the system's tells nothing, or a total of 0.
static bool read_memory(const struct nvml_gpu *gpu, const struct nvml_api *api,
                        struct nvml_memory *memory)
{
    struct nvml_memory_v2 newer = {.version = NVML_MEMORY_VERSION};
    *memory = (struct nvml_memory){0};
    if (api->memory_v2 && api->memory_v2(gpu->handle, &newer) == NVML_OK) {
        *memory = (struct nvml_memory){newer.total, newer.free, newer.used};
    } else if (api->memory && api->memory(gpu->handle, memory) != NVML_OK) {
        return false;
    }
    return memory->total > 0;
}

static void tell(struct nvml_gpu *gpu, const struct nvml_api *api, struct source_out *out)
{
    struct source_device told = {.vendor = "NVIDIA"};
    struct nvml_memory memory;
    if (!api->name || api->name(gpu->handle, told.name, sizeof told.name) != NVML_OK) {
        snprintf(told.name, sizeof told.name, "GPU");
    }
    if (api->uuid) {
        api->uuid(gpu->handle, told.id, sizeof told.id);
    }
    told.name[sizeof told.name - 1] = '\0';
    told.id[sizeof told.id - 1] = '\0';
    if (read_memory(gpu, api, &memory)) {
        told.total_mb = (double)memory.total / BYTES_PER_MB;
    }
    gpu->number = source_tell_device(out, &told);
    gpu->is_told = true;
}

// An answer that is an error: the device is given up, or asked again.
static void take_refusal(struct nvml_gpu *gpu, int status, int refusals, struct source_out *out)
{
    gpu->is_off = !nvml_api_may_pass(status) || refusals >= PATIENCE;
    source_tell_failure(out, gpu->number);
    if (gpu->is_off) {
        source_note(out, "An NVIDIA GPU was not measured to the end: the driver %s (code %d).",
                    nvml_api_reason(status), status);
    }
}

static void read_rates(struct nvml_gpu *gpu, const struct nvml_api *api, struct source_out *out)
{
    if (!gpu->has_rates || !pace_is_due(&gpu->rate_pace, out->end_s)) {
        return;
    }
    struct nvml_rates rates = {0};
    double asked_s = pace_now_s();
    int status = api->rates(gpu->handle, &rates);
    gpu->begin_s = pace_since_s(&gpu->rate_pace, out->end_s);
    pace_done(&gpu->rate_pace, out->end_s, pace_now_s() - asked_s);
    if (nvml_api_lacks(status)) {
        gpu->has_rates = false;
        gpu->busy = -1;
        gpu->has_news = true; // its memory
        source_note(out, "How busy an NVIDIA GPU was could not be measured: %s.",
                    gpu->is_mig ? "it is shared out (MIG)" : "its driver does not tell");
    } else if (status != NVML_OK) {
        take_refusal(gpu, status, ++gpu->refusals, out);
    } else {
        gpu->refusals = 0;
        gpu->has_news = rates.gpu_percent <= 100;
        gpu->busy = gpu->has_news ? rates.gpu_percent / 100.0 : gpu->busy;
    }
}

// A list that cannot be had costs the figures by process; a device that is lost is lost.
static void take_list_status(struct nvml_gpu *gpu, int status, struct source_out *out)
{
    bool is_answer = status == NVML_OK || status == NVML_NOT_FOUND || nvml_api_lacks(status);
    bool is_gone = status == NVML_GPU_LOST || status == NVML_NEEDS_RESET;
    if (is_gone) {
        take_refusal(gpu, status, 0, out);
    } else if (!is_answer) {
        source_tell_failure(out, gpu->number);
    }
    if (!is_answer && !is_gone && gpu->users.is_off) {
        source_note(out,
                    "Which processes use an NVIDIA GPU could not be measured: asked for them, the "
                    "driver %s (code %d).",
                    nvml_api_reason(status), status);
    }
}

static void read_users(struct nvml_gpu *gpu, const struct nvml_api *api, struct source_out *out,
                       const struct source_process *processes, size_t count)
{
    if (!pace_is_due(&gpu->user_pace, out->end_s)) {
        return;
    }
    struct nvml_memory memory;
    double asked_s = pace_now_s();
    int status = nvml_users_read(&gpu->users, api, gpu->handle, gpu->is_mig);
    gpu->used_mb = read_memory(gpu, api, &memory) ? (double)memory.used / BYTES_PER_MB : -1;
    if (!gpu->has_rates) {
        gpu->begin_s = pace_since_s(&gpu->user_pace, out->end_s);
        gpu->has_news = true;
    }
    pace_done(&gpu->user_pace, out->end_s, pace_now_s() - asked_s);
    take_list_status(gpu, status, out);
    nvml_users_compare(&gpu->users, processes, count);
    if (gpu->users.is_foreign) {
        source_note(out, "NVIDIA's driver knows the program's processes by other numbers (as in a "
                         "container): how busy the GPU was is told of the whole device.");
    }
}

void nvml_gpu_look(struct nvml_gpu *gpu, const struct nvml_api *api, struct source_out *out,
                   const struct source_process *processes, size_t count)
{
    gpu->has_news = false;
    if (!gpu->handle) {
        attach(gpu, api, out);
    }
    if (gpu->is_off) {
        return;
    }
    if (!gpu->is_told) {
        tell(gpu, api, out);
    }
    read_users(gpu, api, out, processes, count);
    if (!gpu->is_off) {
        read_rates(gpu, api, out);
    }
    // Before it is known whose the work is nothing can be said of it.
    gpu->has_news &= !gpu->is_off && nvml_users_is_settled(&gpu->users);
}

static struct source_reading device_wide(const struct nvml_gpu *gpu)
{
    struct source_reading reading = {.busy = gpu->busy,
                                     .memory_mb = gpu->used_mb,
                                     .scope = MESSAGE_SCOPE_DEVICE,
                                     .memory_scope = MESSAGE_SCOPE_DEVICE};
    if (gpu->users.is_foreign && gpu->users.processes.count == 1) { // it can only be ours
        reading.memory_mb = nvml_users_mb(&gpu->users.processes.list[0]);
        reading.memory_scope = MESSAGE_SCOPE_PROCESS;
    }
    return reading;
}

struct source_reading nvml_gpu_reading(const struct nvml_gpu *gpu, int pid)
{
    struct source_reading reading = device_wide(gpu);
    if (!nvml_users_are_told_apart(&gpu->users)) {
        return reading;
    }
    if (!gpu->users.work.is_missing && gpu->busy >= 0) {
        reading.busy = gpu->busy * nvml_users_part(&gpu->users, pid);
        reading.scope = MESSAGE_SCOPE_PROCESS;
    }
    const struct nvml_process *known = nvml_processes_find(&gpu->users.processes, pid);
    if (!known || known->used_bytes != UINT64_MAX) {
        reading.memory_mb = known ? nvml_users_mb(known) : 0;
        reading.memory_scope = MESSAGE_SCOPE_PROCESS;
    }
    return reading;
}

bool nvml_gpu_has_part(const struct nvml_gpu *gpu, int pid)
{
    return !nvml_users_are_told_apart(&gpu->users) || nvml_users_part(&gpu->users, pid) > 0 ||
           nvml_processes_find(&gpu->users.processes, pid);
}
