// SPDX-License-Identifier: Apache-2.0
#include "base/process_stat.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FORKED_AND_NOT_EXECUTED 0x40u // the kernel's PF_FORKNOEXEC

bool process_stat_read(struct process_stat *stat, pid_t pid)
{
    char path[32];
    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t len = fd >= 0 ? read(fd, stat->text, sizeof stat->text - 1) : 0;
    stat->text[len > 0 ? len : 0] = '\0';
    if (fd >= 0) {
        close(fd);
    }
    return len > 0;
}

// Counted from the end of the process's name, which may hold blanks and brackets.
static const char *find_field(const struct process_stat *stat, enum process_stat_field field)
{
    const char *at = strrchr(stat->text, ')');
    for (unsigned i = 2; at && i < (unsigned)field; i++) {
        at = strchr(at + 1, ' ');
    }
    return at ? at + 1 : "";
}

unsigned long process_stat_number(const struct process_stat *stat, enum process_stat_field field)
{
    return strtoul(find_field(stat, field), NULL, 10);
}

char process_stat_state(const struct process_stat *stat)
{
    return *find_field(stat, STAT_STATE);
}

bool process_stat_is_fork(const struct process_stat *stat)
{
    return process_stat_number(stat, STAT_FLAGS) & FORKED_AND_NOT_EXECUTED;
}
