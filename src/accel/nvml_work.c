// SPDX-License-Identifier: Apache-2.0
#include "accel/nvml_work.h"

#include <stdlib.h>
#include <time.h>

#include "base/mem.h"

#define RATES_MAX 1024u

double nvml_work_part(const struct nvml_work *work, int pid)
{
    for (size_t i = 0; i < work->count; i++) {
        if (work->parts[i].pid == (uint32_t)pid) {
            return work->parts[i].part;
        }
    }
    return 0;
}

static void add_part(struct nvml_work *work, uint32_t pid, double amount)
{
    for (size_t i = 0; i < work->count; i++) {
        if (work->parts[i].pid == pid) {
            work->parts[i].part += amount;
            return;
        }
    }
    if (work->count < NVML_WORK_MAX) {
        work->parts[work->count].pid = pid;
        work->parts[work->count++].part = amount;
    }
}

void nvml_work_take(struct nvml_work *work, const struct nvml_process_rate *list, size_t count)
{
    struct nvml_work taken = {.seen_us = work->seen_us};
    double sum = 0;
    for (size_t i = 0; i < count; i++) {
        if (list[i].sm_percent <= 100 && list[i].time_us > work->seen_us) {
            add_part(&taken, list[i].pid, list[i].sm_percent);
            sum += list[i].sm_percent;
            taken.seen_us = list[i].time_us > taken.seen_us ? list[i].time_us : taken.seen_us;
        }
    }
    work->seen_us = taken.seen_us;
    if (sum <= 0) {
        return;
    }
    for (size_t i = 0; i < taken.count; i++) {
        taken.parts[i].part /= sum;
    }
    *work = taken;
}

static uint64_t second_ago_us(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return ((uint64_t)now.tv_sec - 1) * 1000000u + (uint64_t)now.tv_nsec / 1000;
}

// By the function that drivers since 2024 have, whose records are longer.
static int read_newer(const struct nvml_api *api, nvml_device device, uint64_t since_us,
                      struct nvml_process_rate *list, unsigned *count)
{
    struct nvml_process_rate_v1 *newer = mem_alloc(RATES_MAX * sizeof *newer);
    struct nvml_process_rates_v1 request = {.version = NVML_PROCESS_RATES_VERSION,
                                            .count = RATES_MAX,
                                            .since_us = since_us,
                                            .list = newer};
    int status = api->process_rates_v1(device, &request);
    *count = status == NVML_OK && request.count <= RATES_MAX ? request.count : 0;
    for (unsigned i = 0; i < *count; i++) {
        list[i] = (struct nvml_process_rate){
            .pid = newer[i].pid, .time_us = newer[i].time_us, .sm_percent = newer[i].sm_percent};
    }
    free(newer);
    return status;
}

static int read_rates(const struct nvml_api *api, nvml_device device, uint64_t since_us,
                      struct nvml_process_rate *list, unsigned *count)
{
    int status = NVML_NO_FUNCTION;
    *count = RATES_MAX;
    if (api->process_rates) {
        status = api->process_rates(device, list, count, since_us);
    }
    if (nvml_api_lacks(status) && api->process_rates_v1) {
        status = read_newer(api, device, since_us, list, count);
    }
    *count = *count <= RATES_MAX ? *count : 0;
    return status;
}

void nvml_work_read(struct nvml_work *work, const struct nvml_api *api, nvml_device device)
{
    if (work->is_missing) {
        return;
    }
    if (work->seen_us == 0) { // asked for all that it remembers it would tell a mean
        work->seen_us = second_ago_us();
    }
    unsigned count;
    struct nvml_process_rate *list = mem_alloc(RATES_MAX * sizeof *list);
    int status = read_rates(api, device, work->seen_us, list, &count);
    if (status == NVML_OK) {
        nvml_work_take(work, list, count);
    }
    work->is_missing = nvml_api_lacks(status) || status == NVML_NO_PERMISSION;
    free(list);
}
