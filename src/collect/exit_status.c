// SPDX-License-Identifier: Apache-2.0
#include "collect/exit_status.h"

#include <stdint.h>
#include <sys/ioctl.h>

#include "base/process_stat.h"

// As of Linux 6.15, whose headers need not be here.
#define INFO_EXIT (UINT64_C(1) << 3)

struct info {
    uint64_t mask; // what is asked for, and then what was answered
    uint64_t cgroup_id;
    uint32_t numbers[11]; // of the process and whose it is
    int32_t exit_code;
};

#define GET_INFO _IOWR(0xff, 11, struct info)

_Static_assert(sizeof(struct info) == 64, "the kernel knows the structure by its size");

static bool ask_descriptor(int pidfd, int *wait_status)
{
    struct info info = {.mask = INFO_EXIT};
    if (pidfd < 0 || ioctl(pidfd, GET_INFO, &info) != 0 || !(info.mask & INFO_EXIT)) {
        return false;
    }
    *wait_status = info.exit_code;
    return true;
}

static bool ask_zombie(int pid, int *wait_status)
{
    struct process_stat stat;
    if (!process_stat_read(&stat, pid) || process_stat_state(&stat) != 'Z') {
        return false;
    }
    *wait_status = (int)process_stat_number(&stat, STAT_WAIT_STATUS);
    return true;
}

bool exit_status_read(int pidfd, int pid, int *wait_status)
{
    return ask_descriptor(pidfd, wait_status) || ask_zombie(pid, wait_status);
}
