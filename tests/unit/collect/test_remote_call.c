// SPDX-License-Identifier: Apache-2.0
// A child that is blocked in one call, seen from outside.
#include <fcntl.h>
#include <linux/futex.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "collect/remote_call.h"
#include "unit.h"

static struct remote_interpreter interpreter;
static int futex_word;
static int pipe_fds[2];
static int socket_fds[2];

static void sleep_long(void)
{
    nanosleep(&(struct timespec){60, 0}, NULL);
}

static void sleep_by_select(void)
{
    select(0, NULL, NULL, NULL, &(struct timeval){60, 0});
}

static void sleep_by_poll(void)
{
    poll(NULL, 0, 60000);
}

static void wait_for_futex(void)
{
    syscall(SYS_futex, &futex_word, FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0);
}

static void read_from(int fd)
{
    char byte;
    if (read(fd, &byte, 1) < 0) {
        _exit(1);
    }
}

static void read_pipe(void)
{
    read_from(pipe_fds[0]);
}

static void read_socket(void)
{
    read_from(socket_fds[0]);
}

static void receive(void)
{
    char byte;
    recv(socket_fds[0], &byte, 1, 0);
}

static void poll_pipe(void)
{
    poll(&(struct pollfd){pipe_fds[0], POLLIN, 0}, 1, -1);
}

static void poll_pipe_and_socket(void)
{
    struct pollfd fds[] = {{pipe_fds[0], POLLIN, 0}, {socket_fds[0], POLLIN, 0}};
    poll(fds, 2, -1);
}

static void select_pipe(void)
{
    fd_set set;
    FD_ZERO(&set);
    FD_SET(pipe_fds[0], &set);
    select(pipe_fds[0] + 1, &set, NULL, NULL, NULL);
}

static void wait_for_child(void)
{
    pid_t child = fork();
    if (child == 0) {
        sleep_long();
    }
    waitpid(child, NULL, 0);
}

static void pause_for_ever(void)
{
    pause();
}

// The child's group is its own, so that a child of the child ends with it.
static pid_t start_blocked(void (*block)(void))
{
    pid_t child = fork();
    if (child == 0) {
        setpgid(0, 0);
        for (;;) {
            block();
        }
    }
    setpgid(child, child);
    return child;
}

#define LOOKS 60000 // a millisecond apart: a crowded machine is no reason to fail

static void expect(void (*block)(void), enum wait_kind kind)
{
    pid_t child = start_blocked(block);
    struct remote_memory memory = {.pid = child};
    enum remote_call state = REMOTE_CALL_RUNNING;
    enum wait_kind found = WAIT_KIND_COUNT;
    for (int i = 0; i < LOOKS && (state != REMOTE_CALL_BLOCKED || found != kind); i++) {
        usleep(1000);
        state = remote_call_look(&memory, &interpreter, child, &found);
    }
    kill(-child, SIGKILL);
    waitpid(child, NULL, 0);
    assert_int_equal(state, REMOTE_CALL_BLOCKED);
    assert_int_equal(found, kind);
}

static int start(void **state)
{
    (void)state;
    interpreter = (struct remote_interpreter){0};
    return pipe(pipe_fds) | socketpair(AF_UNIX, SOCK_STREAM, 0, socket_fds);
}

static int end(void **state)
{
    (void)state;
    return close(pipe_fds[0]) | close(pipe_fds[1]) | close(socket_fds[0]) | close(socket_fds[1]);
}

static void sleeping_is_told_in_every_way_of_it(void **state)
{
    (void)state;
    expect(sleep_long, WAIT_SLEEP);
    expect(sleep_by_select, WAIT_SLEEP);
    expect(sleep_by_poll, WAIT_SLEEP);
}

static void reading_is_told_by_the_descriptor(void **state)
{
    (void)state;
    expect(read_pipe, WAIT_PIPE);
    expect(read_socket, WAIT_NETWORK);
    expect(receive, WAIT_NETWORK);
}

static void many_descriptors_are_a_pipe_when_all_are(void **state)
{
    (void)state;
    expect(poll_pipe, WAIT_PIPE);
    expect(select_pipe, WAIT_PIPE);
    expect(poll_pipe_and_socket, WAIT_NETWORK);
}

static void a_futex_of_the_interpreters_own_is_the_gil(void **state)
{
    (void)state;
    expect(wait_for_futex, WAIT_LOCK);
    interpreter.runtime_start = (uint64_t)(uintptr_t)&futex_word;
    interpreter.runtime_end = interpreter.runtime_start + sizeof futex_word;
    expect(wait_for_futex, WAIT_GIL);
}

static void children_and_the_rest_are_told(void **state)
{
    (void)state;
    expect(wait_for_child, WAIT_CHILD);
    expect(pause_for_ever, WAIT_OTHER);
}

static void a_process_that_is_gone_is_not_blocked(void **state)
{
    (void)state;
    pid_t child = start_blocked(sleep_long);
    struct remote_memory memory = {.pid = child};
    enum wait_kind kind;
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    assert_int_equal(remote_call_look(&memory, &interpreter, child, &kind), REMOTE_CALL_RUNNING);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(sleeping_is_told_in_every_way_of_it, start, end),
        cmocka_unit_test_setup_teardown(reading_is_told_by_the_descriptor, start, end),
        cmocka_unit_test_setup_teardown(many_descriptors_are_a_pipe_when_all_are, start, end),
        cmocka_unit_test_setup_teardown(a_futex_of_the_interpreters_own_is_the_gil, start, end),
        cmocka_unit_test_setup_teardown(children_and_the_rest_are_told, start, end),
        cmocka_unit_test_setup_teardown(a_process_that_is_gone_is_not_blocked, start, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
