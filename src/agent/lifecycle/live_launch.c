// SPDX-License-Identifier: Apache-2.0
#include "agent/lifecycle/live_launch.h"

#include <errno.h>
#include <sched.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "agent/syscall.h"

#define STACK_BYTES (32 * 1024)
#define ALL_SIGNALS UINT64_MAX
#define SIGNAL_MAX  64
#define FD_MAX      65536 // of those that are closed one by one, where the kernel is older than 5.9

// What the steps of a start share. They use the program's memory, one at a time: each waits until
// the next has become the collector or has ended.
struct launch {
    char *const *arguments;
    char *const *environment;
    int reply_fd;
    int error; // what went wrong, 0 if nothing
    char *stack;
};

// The kernel's own form.
struct kernel_action {
    void *handler;
    unsigned long flags;
    void *restorer;
    uint64_t mask;
};

static void reset_signals(void)
{
    struct kernel_action action = {0};
    for (int number = 1; number <= SIGNAL_MAX; number++) {
        raw_syscall4(SYS_rt_sigaction, number, (long)&action, 0, RAW_SIGSET_BYTES);
    }
    raw_sigprocmask(SIG_SETMASK, &(uint64_t){0}, NULL);
}

static void close_from(unsigned first)
{
    if (raw_syscall4(SYS_close_range, first, UINT32_MAX, 0, 0) == 0) {
        return;
    }
    for (unsigned fd = first; fd < FD_MAX; fd++) {
        raw_close((int)fd);
    }
}

// Both its output and its complaints are the reply.
static void set_descriptors(const struct launch *launch)
{
    int reply = raw_fcntl(launch->reply_fd, F_DUPFD, 3);
    int nothing = raw_openat(AT_FDCWD, "/dev/null", O_RDWR | O_CLOEXEC, 0);
    raw_syscall4(SYS_dup2, nothing, STDIN_FILENO, 0, 0);
    raw_syscall4(SYS_dup2, reply, STDOUT_FILENO, 0, 0);
    raw_syscall4(SYS_dup2, reply, STDERR_FILENO, 0, 0);
    close_from(STDERR_FILENO + 1);
}

static _Noreturn void leave(void)
{
    for (;;) {
        raw_syscall4(SYS_exit_group, 0, 0, 0, 0);
    }
}

// In a session of its own, so that the terminal's signals do not reach it.
static int become_collector(void *argument)
{
    struct launch *launch = argument;
    raw_syscall4(SYS_setsid, 0, 0, 0, 0);
    set_descriptors(launch);
    reset_signals();
    launch->error = (int)-raw_syscall4(SYS_execve, (long)launch->arguments[0],
                                       (long)launch->arguments, (long)launch->environment, 0);
    leave();
}

// Its parent is gone once it runs, so that it is nobody's child that we know.
static int start_orphan(void *argument)
{
    struct launch *launch = argument;
    if (clone(become_collector, launch->stack + STACK_BYTES, CLONE_VM | CLONE_VFORK | SIGCHLD,
              launch) < 0) {
        launch->error = errno;
    }
    leave();
}

// One that sends no signal at its end and is found only by who asks for such.
static int start(struct launch *launch)
{
    int saved_errno = errno;
    uint64_t mask = ALL_SIGNALS;
    uint64_t old_mask = 0;
    raw_sigprocmask(SIG_SETMASK, &mask, &old_mask);
    int pid = clone(start_orphan, launch->stack + 2 * STACK_BYTES, CLONE_VM | CLONE_VFORK, launch);
    if (pid < 0) {
        launch->error = errno;
    } else {
        while (raw_syscall4(SYS_wait4, pid, 0, __WCLONE, 0) == -EINTR) {
        }
    }
    raw_sigprocmask(SIG_SETMASK, &old_mask, NULL);
    errno = saved_errno;
    return launch->error;
}

static void read_reply(int fd, char *reply, size_t size)
{
    size_t len = 0;
    long got;
    do {
        got = raw_read(fd, reply + len, size - 1 - len);
        len += got > 0 ? (size_t)got : 0;
    } while (got > 0 || got == -EINTR);
    reply[len] = '\0';
}

int live_launch(char *const arguments[], char *const environment[], char *reply, size_t size)
{
    int ends[2] = {-1, -1};
    long stack = raw_mmap(NULL, (size_t)2 * STACK_BYTES, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (stack < 0) {
        return (int)-stack;
    }
    int status = (int)-raw_syscall4(SYS_pipe2, (long)ends, O_CLOEXEC, 0, 0);
    if (status == 0) {
        struct launch launch = {
            .arguments = arguments,
            .environment = environment,
            .reply_fd = ends[1],
            .stack = (char *)stack,
        };
        status = start(&launch);
        raw_close(ends[1]);
        read_reply(ends[0], reply, size);
        raw_close(ends[0]);
    }
    raw_munmap((void *)stack, (size_t)2 * STACK_BYTES);
    return status;
}

bool live_launch_reap(int pid)
{
    return raw_syscall4(SYS_wait4, pid, 0, WNOHANG, 0) == 0;
}
