// SPDX-License-Identifier: Apache-2.0
#pragma once

// Tells a signal that was sent to our whole process group from one that was sent to us alone, which
// no signal says of itself. The witness is a child in the same group that only keeps what it gets:
// what it got as well, every process of the group has got. It has another name than we, so that who
// looks for processes by name does not find it, and it ends with us.

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct witness {
    pid_t pid;
    int fd; // -1: there is none, and nothing is known
    uint32_t question_count;
};

// To be called with all signals blocked that are to be asked for.
void witness_start(struct witness *witness);

// To be asked once for each signal that we get.
bool witness_has_got(struct witness *witness, int signal_number);

void witness_end(struct witness *witness);
