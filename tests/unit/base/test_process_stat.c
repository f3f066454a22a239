// SPDX-License-Identifier: Apache-2.0
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/process_stat.h"
#include "unit.h"

static struct process_stat stat_of(pid_t pid)
{
    struct process_stat stat;
    assert_true(process_stat_read(&stat, pid));
    return stat;
}

static void it_tells_of_this_process(void **state)
{
    (void)state;
    prctl(PR_SET_NAME, "a) Z 1 (b");
    struct process_stat own = stat_of(getpid());
    assert_int_equal(process_stat_state(&own), 'R');
    assert_int_equal(process_stat_number(&own, STAT_PARENT), getppid());
    assert_false(process_stat_is_fork(&own));
    assert_true(process_stat_number(&own, STAT_ARGUMENTS_END) >
                process_stat_number(&own, STAT_ARGUMENTS_START));
}

static void a_fork_is_told_from_a_program_and_its_status_read_when_it_has_ended(void **state)
{
    (void)state;
    pid_t child = fork();
    if (child == 0) {
        raise(SIGSTOP);
        _exit(3);
    }
    siginfo_t info;
    assert_int_equal(waitid(P_PID, (id_t)child, &info, WSTOPPED | WNOWAIT), 0);
    struct process_stat stopped = stat_of(child);
    assert_int_equal(process_stat_state(&stopped), 'T');
    assert_true(process_stat_is_fork(&stopped));
    kill(child, SIGCONT);
    assert_int_equal(waitid(P_PID, (id_t)child, &info, WEXITED | WNOWAIT), 0);
    struct process_stat ended = stat_of(child);
    assert_int_equal(process_stat_state(&ended), 'Z');
    assert_int_equal(process_stat_number(&ended, STAT_WAIT_STATUS), 3 << 8);
    assert_int_equal(waitpid(child, NULL, 0), child);
    assert_false(process_stat_read(&ended, child));
    assert_int_equal(process_stat_number(&ended, STAT_PARENT), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_tells_of_this_process),
        cmocka_unit_test(a_fork_is_told_from_a_program_and_its_status_read_when_it_has_ended),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
