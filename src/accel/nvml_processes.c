// SPDX-License-Identifier: Apache-2.0
#include "accel/nvml_processes.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

#define MARK      0xa5
#define TRIES     3
#define ASKED_MAX 4096u

typedef int list_function(nvml_device device, unsigned *count, void *list);

// Drivers have filled 16, 24 and 32 bytes under one name (535.43 to 535.86 had 32), so what was
// written tells: the last byte that is no longer the mark.
size_t nvml_processes_stride(const uint8_t *bytes, size_t count, uint8_t mark)
{
    size_t written = count * NVML_PROCESS_STRIDE_MAX;
    while (written > 0 && bytes[written - 1] == mark) {
        written--;
    }
    for (size_t stride = 16; stride < NVML_PROCESS_STRIDE_MAX; stride += 8) {
        if (written <= count * stride) {
            return stride;
        }
    }
    return NVML_PROCESS_STRIDE_MAX;
}

// A process that both computes and draws is in two lists, with the same memory.
static void add(struct nvml_processes *processes, const struct nvml_process *process)
{
    for (size_t i = 0; i < processes->count; i++) {
        struct nvml_process *known = &processes->list[i];
        if (known->pid == process->pid) {
            bool is_more =
                known->used_bytes == UINT64_MAX ||
                (process->used_bytes != UINT64_MAX && process->used_bytes > known->used_bytes);
            known->used_bytes = is_more ? process->used_bytes : known->used_bytes;
            return;
        }
    }
    if (processes->count < NVML_PROCESSES_MAX) {
        processes->list[processes->count++] = *process;
    }
}

static void add_all(struct nvml_processes *processes, const uint8_t *bytes, size_t count)
{
    size_t stride = nvml_processes_stride(bytes, count, MARK);
    for (size_t i = 0; i < count; i++) {
        struct nvml_process process;
        memcpy(&process, bytes + i * stride, sizeof process);
        add(processes, &process);
    }
}

// Asked for the number first: it may have grown when the list itself is asked for.
static int read_list(list_function *function, nvml_device device, struct nvml_processes *processes)
{
    unsigned count = 0;
    int status = function(device, &count, NULL);
    for (int i = 0; i < TRIES && status == NVML_TOO_SMALL; i++) {
        unsigned asked = 2 * (count < ASKED_MAX ? count : ASKED_MAX) + 5;
        uint8_t *bytes = mem_alloc((size_t)asked * NVML_PROCESS_STRIDE_MAX);
        memset(bytes, MARK, (size_t)asked * NVML_PROCESS_STRIDE_MAX);
        count = asked;
        status = function(device, &count, bytes);
        if (status == NVML_OK && count <= asked) {
            add_all(processes, bytes, count);
        }
        free(bytes);
    }
    return status;
}

int nvml_processes_read(const struct nvml_api *api, nvml_device device,
                        struct nvml_processes *processes)
{
    list_function *const functions[] = {api->compute_processes, api->graphics_processes,
                                        api->mps_processes};
    int status = NVML_NO_FUNCTION;
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        int answer = functions[i] ? read_list(functions[i], device, processes) : NVML_NO_FUNCTION;
        if (answer == NVML_OK || status == NVML_NO_FUNCTION) {
            status = answer;
        }
    }
    return status;
}

const struct nvml_process *nvml_processes_find(const struct nvml_processes *processes, int pid)
{
    for (size_t i = 0; i < processes->count; i++) {
        if (processes->list[i].pid == (uint32_t)pid) {
            return &processes->list[i];
        }
    }
    return NULL;
}
