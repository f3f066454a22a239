// SPDX-License-Identifier: Apache-2.0
#include "accel/nvml_users.h"

#include <errno.h>
#include <signal.h>

#define MIG_PARTS_MAX 64u
#define PATIENCE      3 // refusals in a row
#define BYTES_PER_MB  1048576.0

// Of a device that is shared out each part has its own processes.
static int read_list(struct nvml_processes *list, const struct nvml_api *api, nvml_device device,
                     bool is_mig)
{
    unsigned parts = 0;
    if (!is_mig || !api->mig_max || !api->mig_by_index || api->mig_max(device, &parts) != NVML_OK) {
        return nvml_processes_read(api, device, list);
    }
    int status = NVML_NOT_FOUND;
    for (unsigned i = 0; i < parts && i < MIG_PARTS_MAX; i++) {
        nvml_device part;
        if (api->mig_by_index(device, i, &part) == NVML_OK) {
            int answer = nvml_processes_read(api, part, list);
            status = status == NVML_OK ? NVML_OK : answer;
        }
    }
    return status;
}

int nvml_users_read(struct nvml_users *users, const struct nvml_api *api, nvml_device device,
                    bool is_mig)
{
    if (users->is_off) {
        return NVML_OK;
    }
    struct nvml_processes list = {.count = 0};
    int status = read_list(&list, api, device, is_mig);
    if (status == NVML_OK) {
        users->processes = list;
        users->is_known = true;
        users->refusals = 0;
        nvml_work_read(&users->work, api, device);
    } else {
        users->is_off = !nvml_api_may_pass(status) || ++users->refusals >= PATIENCE;
    }
    return status;
}

// Those of other users are there too, though one may not signal them.
static bool is_there(uint32_t pid)
{
    return pid <= INT32_MAX && (kill((pid_t)pid, 0) == 0 || errno == EPERM);
}

static bool lists_strangers(const struct nvml_users *users)
{
    for (size_t i = 0; i < users->processes.count; i++) {
        if (!is_there(users->processes.list[i].pid)) {
            return true;
        }
    }
    for (size_t i = 0; i < users->work.count; i++) {
        if (!is_there(users->work.parts[i].pid)) {
            return true;
        }
    }
    return false;
}

// On a desktop others are listed before the program is: they are there, and it is idle as yet.
void nvml_users_compare(struct nvml_users *users, const struct source_process *processes,
                        size_t count)
{
    size_t listed = 0;
    for (size_t i = 0; i < count; i++) {
        listed += nvml_processes_find(&users->processes, processes[i].pid) != NULL;
    }
    users->has_ours |= listed > 0;
    users->is_foreign = !users->has_ours && lists_strangers(users);
    users->has_others = users->processes.count > listed + (users->is_foreign ? 1 : 0);
}

enum message_others nvml_users_others(const struct nvml_users *users)
{
    if (!users->is_known || users->is_off) {
        return MESSAGE_OTHERS_UNKNOWN;
    }
    return users->has_others ? MESSAGE_OTHERS_PRESENT : MESSAGE_OTHERS_NONE;
}

bool nvml_users_is_settled(const struct nvml_users *users)
{
    return users->is_known || users->is_off;
}

// Where nobody is listed and nobody's work is told, nothing says that the program is idle.
bool nvml_users_are_told_apart(const struct nvml_users *users)
{
    return users->is_known && !users->is_off && !users->is_foreign &&
           (users->processes.count > 0 || !users->work.is_missing);
}

double nvml_users_part(const struct nvml_users *users, int pid)
{
    if (users->work.count > 0) {
        return nvml_work_part(&users->work, pid);
    }
    return nvml_processes_find(&users->processes, pid) ? 1.0 / (double)users->processes.count : 0;
}

double nvml_users_mb(const struct nvml_process *process)
{
    return process->used_bytes == UINT64_MAX ? -1 : (double)process->used_bytes / BYTES_PER_MB;
}
