// SPDX-License-Identifier: Apache-2.0
#pragma once

// Reads the accelerators that a set of processes has open, in a process of its own, which is
// started when the first of them opens a device. Nothing here blocks, whatever the drivers do.

#include <stdbool.h>
#include <stddef.h>

#include "accel/message.h"

struct reader {
    int pid;          // of the process that reads; 0: not started
    int command_fd;   // to it: which processes there are
    int message_fd;   // from it
    double look_s;    // when processes are looked at next
    double first_s;   // when they were first looked at
    size_t hand;      // where the look goes on
    int *pids;        // as last told
    size_t pid_count; // of them
    bool is_off;      // it could not be started, or has ended
    bool has_failed;  // it ended before it was asked to
    double cpu_s;     // that it used
};

void reader_init(struct reader *reader);

// To be called often, with the processes that run. Cheap while no device is open.
void reader_tick(struct reader *reader, const int *pids, size_t count);

// The next message; false when there is none now.
bool reader_next(struct reader *reader, struct message *message);

void reader_close(struct reader *reader);
