// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the kernel tells of a process in /proc/PID/stat.

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

// Its fields have the numbers of proc(5).
enum process_stat_field {
    STAT_STATE = 3, // a letter: T stopped, Z ended and not waited for
    STAT_PARENT = 4,
    STAT_FLAGS = 9,
    STAT_ARGUMENTS_START = 48,
    STAT_ARGUMENTS_END = 49,
    STAT_WAIT_STATUS = 52, // of one that has ended
};

struct process_stat {
    char text[1024];
};

bool process_stat_read(struct process_stat *stat, pid_t pid);

// 0 where there is no such field. The state is its letter.
unsigned long process_stat_number(const struct process_stat *stat, enum process_stat_field field);
char process_stat_state(const struct process_stat *stat);

// Whether it was forked and has not started a program since.
bool process_stat_is_fork(const struct process_stat *stat);
