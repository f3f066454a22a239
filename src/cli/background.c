// SPDX-License-Identifier: Apache-2.0
#include "cli/background.h"

#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <unistd.h>

static bool is_behind(int fd)
{
    pid_t group = tcgetpgrp(fd); // fails if it is not our terminal
    return group >= 0 && group != getpgrp();
}

void background_announce(void)
{
    if (!is_behind(STDERR_FILENO) && !is_behind(STDOUT_FILENO)) {
        return;
    }
    // A terminal that stops whoever writes from behind (stty tostop) shall not stop the program
    // for a word of ours.
    sigset_t stopping;
    sigset_t before;
    sigemptyset(&stopping);
    sigaddset(&stopping, SIGTTOU);
    sigprocmask(SIG_BLOCK, &stopping, &before);
    int pid = (int)getpid();
    fprintf(stderr,
            "Scalene now profiling process %d\n"
            "  to disable profiling: scalene pause %d (or python3 -m scalene.profile --off --pid "
            "%d)\n"
            "  to resume profiling:  scalene resume %d (or python3 -m scalene.profile --on --pid "
            "%d)\n",
            pid, pid, pid, pid, pid);
    sigprocmask(SIG_SETMASK, &before, NULL);
}
