// SPDX-License-Identifier: Apache-2.0
#include "launch/witness.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/process_stat.h"

#define NAME      "witness"
#define ANSWER_MS 1000 // it may have to wait for a core
#define MOMENT_MS 20   // who signals the processes of a service one by one comes to the last in it

struct question {
    uint32_t number;
    int32_t signal_number;
};

struct answer {
    uint32_t number;
    uint32_t has_got;
};

// The command line is what tools find a process by: it lies where the kernel says, and is ours.
static void take_another_name(void)
{
    struct process_stat stat;
    prctl(PR_SET_NAME, NAME);
    process_stat_read(&stat, getpid());
    unsigned long start = process_stat_number(&stat, STAT_ARGUMENTS_START);
    unsigned long end = process_stat_number(&stat, STAT_ARGUMENTS_END);
    if (end > start + sizeof NAME) {
        memset((void *)start, 0, end - start);
        memcpy((void *)start, NAME, sizeof NAME);
    }
}

static bool take_pending(int signal_number)
{
    sigset_t only;
    sigemptyset(&only);
    sigaddset(&only, signal_number);
    return sigtimedwait(&only, NULL, &(struct timespec){0}) == signal_number;
}

// In the child. Files of the program's that it inherited are not kept open by it.
static _Noreturn void stand_by(int fd, pid_t parent)
{
    struct question question;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    dup2(fd, STDIN_FILENO);
    syscall(SYS_close_range, STDIN_FILENO + 1, ~0u, 0);
    take_another_name();
    while (getppid() == parent &&
           read(STDIN_FILENO, &question, sizeof question) == (ssize_t)sizeof question) {
        struct answer answer = {question.number, take_pending(question.signal_number)};
        send(STDIN_FILENO, &answer, sizeof answer, MSG_NOSIGNAL);
    }
    _exit(0);
}

void witness_start(struct witness *witness)
{
    int ends[2];
    pid_t parent = getpid();
    *witness = (struct witness){.pid = -1, .fd = -1};
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) {
        return;
    }
    witness->pid = fork();
    if (witness->pid == 0) {
        stand_by(ends[1], parent);
    }
    close(ends[1]);
    witness->fd = ends[0];
    if (witness->pid < 0) {
        witness_end(witness);
    }
}

// Who is stopped does not answer.
static int patience_ms(const struct witness *witness)
{
    struct process_stat stat;
    bool is_stopped = process_stat_read(&stat, witness->pid) && process_stat_state(&stat) == 'T';
    return is_stopped ? 0 : ANSWER_MS;
}

// An answer that comes too late for its question counts for the next one about the same signal,
// from `first` on: the witness has that signal no more.
static bool ask(struct witness *witness, int signal_number, uint32_t first)
{
    struct question question = {++witness->question_count, signal_number};
    struct pollfd waited = {.fd = witness->fd, .events = POLLIN};
    struct answer answer = {0};
    bool has_got = false;
    send(witness->fd, &question, sizeof question, MSG_NOSIGNAL | MSG_DONTWAIT);
    while (answer.number != question.number && poll(&waited, 1, patience_ms(witness)) > 0 &&
           recv(witness->fd, &answer, sizeof answer, MSG_DONTWAIT) == (ssize_t)sizeof answer) {
        has_got = has_got || (answer.number >= first && answer.has_got);
    }
    return has_got;
}

// The kernel signals the youngest process of a group first: the witness has it before we do.
bool witness_has_got(struct witness *witness, int signal_number)
{
    uint32_t first = witness->question_count + 1;
    if (witness->fd < 0) {
        return false;
    }
    return ask(witness, signal_number, first) ||
           (poll(NULL, 0, MOMENT_MS) == 0 && ask(witness, signal_number, first));
}

void witness_end(struct witness *witness)
{
    if (witness->pid > 0) {
        kill(witness->pid, SIGKILL);
        waitpid(witness->pid, NULL, 0);
    }
    if (witness->fd >= 0) {
        close(witness->fd);
    }
    *witness = (struct witness){.pid = -1, .fd = -1};
}
