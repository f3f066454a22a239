// SPDX-License-Identifier: Apache-2.0

// Waits for many descriptors at once.

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "probe.h"

static int pipe_ends[2];
static int socket_ends[2];
static const struct timespec short_time = {0, 30000000};

static void write_byte(void *fd)
{
    if (write(*(int *)fd, "x", 1) != 1) {
        abort();
    }
}

static void drain(int fd)
{
    char byte;
    if (read(fd, &byte, 1) != 1) {
        abort();
    }
}

static void test_poll(void)
{
    struct pollfd fds[3] = {
        {pipe_ends[0], POLLIN, 0}, {-1, POLLIN, 0}, {socket_ends[0], POLLIN, 0}};
    expect_begin();
    show("poll time out on a pipe", poll(fds, 2, 30));
    expect_end("poll time out on a pipe", "pipe");
    expect_begin();
    show("poll time out on a socket", poll(fds, 3, 30));
    expect_end("poll time out on a socket", "network");
    expect_begin();
    show("poll nothing", poll(NULL, 0, 30));
    expect_end("poll nothing", "sleep");
    later(30, write_byte, &pipe_ends[1]);
    show("poll", poll(fds, 3, -1));
    show("poll result", fds[0].revents);
    later_join();
    show("poll at once", poll(fds, 1, 0));
    drain(pipe_ends[0]);
    interrupt_after(30);
    show("poll interrupted", poll(fds, 3, 1000000));
    later_join();
    show("poll from nowhere", poll((struct pollfd *)8, 1, 0));
    struct pollfd closed = {999, POLLIN, 0};
    show("poll not open", poll(&closed, 1, 1000));
    show("poll not open", closed.revents);
}

static void test_ppoll(void)
{
    struct pollfd fds[1] = {{pipe_ends[0], POLLIN, 0}};
    sigset_t mask;
    sigfillset(&mask);
    expect_begin();
    show("ppoll", ppoll(fds, 1, &short_time, &mask));
    expect_end("ppoll", "pipe");
    interrupt_after(10);
    show("ppoll masked", ppoll(fds, 1, &short_time, &mask));
    later_join();
    interrupt_after(10);
    show("ppoll unmasked", ppoll(fds, 1, &(struct timespec){1000, 0}, NULL));
    later_join();
    sigset_t one;
    sigemptyset(&one);
    sigaddset(&one, SIGUSR1);
    sigprocmask(SIG_BLOCK, &one, NULL);
    raise(SIGUSR1);
    sigemptyset(&mask);
    show("ppoll lets a pending signal in", ppoll(fds, 1, NULL, &mask));
    sigprocmask(SIG_UNBLOCK, &one, NULL);
}

static void test_select(void)
{
    fd_set set;
    struct timeval timeout = {0, 30000};
    expect_begin();
    show("select nothing", select(0, NULL, NULL, NULL, &timeout));
    expect_end("select nothing", "sleep");
    FD_ZERO(&set);
    FD_SET(pipe_ends[0], &set);
    timeout = (struct timeval){0, 30000};
    expect_begin();
    show("select pipe", select(pipe_ends[0] + 1, &set, NULL, NULL, &timeout));
    expect_end("select pipe", "pipe");
    show("select left", timeout.tv_sec + timeout.tv_usec);
    FD_SET(pipe_ends[0], &set);
    FD_SET(socket_ends[0], &set);
    expect_begin();
    show("pselect", pselect(socket_ends[0] + 1, NULL, NULL, &set, &short_time, NULL));
    expect_end("pselect", "network");
    FD_ZERO(&set);
    FD_SET(pipe_ends[0], &set);
    later(30, write_byte, &pipe_ends[1]);
    show("select ready", select(1000, &set, NULL, NULL, NULL));
    show("select ready", FD_ISSET(pipe_ends[0], &set) != 0);
    later_join();
    drain(pipe_ends[0]);
    interrupt_after(30);
    FD_SET(pipe_ends[0], &set);
    show("select interrupted", select(1000, &set, NULL, NULL, NULL));
    later_join();
    show("select negative", select(-1, &set, NULL, NULL, NULL));
    FD_ZERO(&set);
    FD_SET(60, &set);
    show("select not open", select(61, &set, NULL, NULL, NULL));
    sigset_t mask;
    sigfillset(&mask);
    interrupt_after(10);
    show("pselect masked", pselect(0, NULL, NULL, NULL, &short_time, &mask));
    later_join();
}

static void test_epoll(void)
{
    int fd = epoll_create1(0);
    struct epoll_event event = {.events = EPOLLIN, .data.u32 = 7};
    struct epoll_event found[2];
    show("epoll_ctl", epoll_ctl(fd, EPOLL_CTL_ADD, socket_ends[0], &event));
    expect_begin();
    show("epoll_wait", epoll_wait(fd, found, 2, 30));
    expect_end("epoll_wait", "network");
    later(30, write_byte, &socket_ends[1]);
    show("epoll_wait ready", epoll_wait(fd, found, 2, -1));
    show("epoll_wait ready", found[0].data.u32);
    later_join();
    drain(socket_ends[0]);
    sigset_t mask;
    sigfillset(&mask);
    interrupt_after(10);
    show("epoll_pwait masked", epoll_pwait(fd, found, 2, 30, &mask));
    later_join();
    interrupt_after(10);
    show("epoll_pwait interrupted", epoll_pwait(fd, found, 2, -1, NULL));
    later_join();
    show("epoll_wait none", epoll_wait(fd, found, 0, 0));
    show("epoll_wait not one", epoll_wait(0, found, 2, 0));
    close(fd);
}

int main(void)
{
    if (pipe(pipe_ends) != 0 || socketpair(AF_UNIX, SOCK_STREAM, 0, socket_ends) != 0) {
        return 1;
    }
    test_poll();
    test_ppoll();
    test_select();
    test_epoll();
    return 0;
}
