// SPDX-License-Identifier: Apache-2.0
#include "launch/copy.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

// Whoever reads what the program writes would wait for the end of the copy too.
static void let_go_of_output(void)
{
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    for (int fd = 0; null >= 0 && fd <= STDERR_FILENO; fd++) {
        dup2(null, fd);
    }
}

bool copy_start(struct copy *copy, void (*work)(void *context), void *context)
{
    pid_t pid = fork();
    if (pid == 0) {
        let_go_of_output();
        work(context);
        _exit(0);
    }
    copy->pid = pid > 0 ? pid : 0;
    return pid > 0;
}

static double seconds(struct timeval time)
{
    return (double)time.tv_sec + (double)time.tv_usec / 1e6;
}

static bool reap(struct copy *copy, int flags)
{
    struct rusage usage = {0};
    pid_t pid;
    do {
        pid = copy->pid ? wait4(copy->pid, NULL, flags, &usage) : -1;
    } while (pid < 0 && copy->pid && errno == EINTR);
    if (pid == 0) {
        return false;
    }
    copy->cpu_s += seconds(usage.ru_utime) + seconds(usage.ru_stime);
    copy->pid = 0;
    return true;
}

bool copy_has_ended(struct copy *copy)
{
    return reap(copy, WNOHANG);
}

void copy_wait(struct copy *copy)
{
    reap(copy, 0);
}

void copy_kill(struct copy *copy)
{
    if (copy->pid) {
        kill(copy->pid, SIGKILL);
    }
    reap(copy, 0);
}
