// SPDX-License-Identifier: Apache-2.0
#pragma once

// The process beside the collector that reads accelerators: it opens the sources that the told
// processes need, asks them in their own time, and writes what they say as messages.

#include <sys/types.h>

#include "accel/followed.h"

#define READING_PROCESSES_MAX FOLLOWED_MAX

// Which processes there are now; shorter than PIPE_BUF.
struct reading_command {
    int count;
    int pids[READING_PROCESSES_MAX];
};

// Until the other end of `command_fd` is closed.
void reading_run(int command_fd, int message_fd);

// Ends when the given parent does, also if it has by now.
void reading_die_with(pid_t parent);
