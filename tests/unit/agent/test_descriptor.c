// SPDX-License-Identifier: Apache-2.0
#include <errno.h>
#include <fcntl.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "agent/descriptor.h"
#include "unit.h"

static void sockets_are_the_network(void **state)
{
    (void)state;
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    assert_int_equal(descriptor_kind(fd), WAIT_NETWORK);
    close(fd);
}

static void files_are_the_disk(void **state)
{
    (void)state;
    int fd = open("/proc/self/exe", O_RDONLY);
    assert_int_equal(descriptor_kind(fd), WAIT_DISK);
    close(fd);
}

static void all_else_is_a_pipe(void **state)
{
    (void)state;
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    int fds[] = {ends[0], ends[1], eventfd(0, 0), epoll_create1(0), open("/dev/null", O_RDWR)};
    for (size_t i = 0; i < sizeof fds / sizeof fds[0]; i++) {
        assert_int_equal(descriptor_kind(fds[i]), WAIT_PIPE);
        close(fds[i]);
    }
}

static void a_closed_one_is_unknown_and_errno_stays(void **state)
{
    (void)state;
    errno = 5;
    assert_int_equal(descriptor_kind(999), WAIT_OTHER);
    assert_int_equal(descriptor_kind(-1), WAIT_OTHER);
    assert_int_equal(errno, 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sockets_are_the_network),
        cmocka_unit_test(files_are_the_disk),
        cmocka_unit_test(all_else_is_a_pipe),
        cmocka_unit_test(a_closed_one_is_unknown_and_errno_stays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
