// SPDX-License-Identifier: Apache-2.0
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "collect/exit_status.h"
#include "unit.h"

static pid_t child_that_ends(int status, int signal_number)
{
    pid_t pid = fork();
    if (pid == 0) {
        if (signal_number) {
            raise(signal_number);
        }
        _exit(status);
    }
    siginfo_t info;
    assert_int_equal(waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT), 0);
    return pid;
}

static void a_zombie_tells_how_it_ended(void **state)
{
    (void)state;
    int status = -1;
    pid_t pid = child_that_ends(7, 0);
    assert_true(exit_status_read(-1, pid, &status));
    assert_int_equal(WEXITSTATUS(status), 7);
    waitpid(pid, NULL, 0);
    assert_false(exit_status_read(-1, pid, &status));
    pid = child_that_ends(0, SIGKILL);
    assert_true(exit_status_read(-1, pid, &status));
    assert_int_equal(WTERMSIG(status), SIGKILL);
    waitpid(pid, NULL, 0);
}

static void who_lives_has_not_ended(void **state)
{
    (void)state;
    int status;
    int pidfd = (int)syscall(SYS_pidfd_open, getpid(), 0);
    assert_false(exit_status_read(pidfd, getpid(), &status));
    close(pidfd);
}

static void a_new_kernel_remembers(void **state)
{
    (void)state;
    int status = -1;
    pid_t pid = child_that_ends(9, 0);
    int pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
    waitpid(pid, NULL, 0);
    if (!exit_status_read(pidfd, pid, &status)) {
        close(pidfd);
        skip(); // it is an older one
    }
    assert_int_equal(WEXITSTATUS(status), 9);
    close(pidfd);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_zombie_tells_how_it_ended),
        cmocka_unit_test(who_lives_has_not_ended),
        cmocka_unit_test(a_new_kernel_remembers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
