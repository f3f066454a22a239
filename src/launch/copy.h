// SPDX-License-Identifier: Apache-2.0
#pragma once

// A forked copy of this process, with all that it knows as of now, which does one piece of work and
// ends without touching what both share. It runs beside the original and is no part of the program.

#include <stdbool.h>
#include <sys/types.h>

struct copy {
    pid_t pid;    // 0: there is none
    double cpu_s; // of all that have ended
};

// False where no process can be had: nothing is done then.
bool copy_start(struct copy *copy, void (*work)(void *context), void *context);

// Whether the copy has ended, or there is none.
bool copy_has_ended(struct copy *copy);

// Waits for its end, or brings it about.
void copy_wait(struct copy *copy);
void copy_kill(struct copy *copy);
