// SPDX-License-Identifier: Apache-2.0
// Processes without a ring, as the profile lists them.
#include <string.h>
#include <unistd.h>

#include "collector_fixture.h"
#include "unit.h"
#include "wire/control.h"

static struct profile_process enter_and_list(struct fixture *fixture, int pid,
                                             enum roll_state state)
{
    fixture_begin(fixture, &(struct fixture_options){0});
    struct control *control = control_open(fixture->run.folder);
    assert_non_null(control);
    struct roll_entry entry = {
        .pid = pid, .parent_pid = getpid(), .state = state, .time_ns = fixture->run.start_ns};
    roll_enter(&control->roll, &entry, "/bin/other");
    control_close(control);
    fixture_collect(fixture);
    assert_int_equal(fixture->profile->process_count, 2);
    assert_int_equal(fixture->profile->processes[1].pid, pid);
    return fixture->profile->processes[1];
}

static void how_one_ended_that_nobody_saw_end_is_not_known(void **state)
{
    (void)state;
    struct fixture fixture;
    struct profile_process found = enter_and_list(&fixture, WRITER_GONE_PID - 1, ROLL_STATIC);
    assert_string_equal(found.ended.how, "unknown");
    assert_string_equal(found.command[0], "/bin/other");
    fixture_end(&fixture);
}

// This test's own process is in the collector's namespace: it cannot be the one that is meant.
static void a_number_of_another_namespace_is_not_looked_up_here(void **state)
{
    (void)state;
    struct fixture fixture;
    struct profile_process found = enter_and_list(&fixture, getpid(), ROLL_OTHER_NAMESPACE);
    assert_string_equal(found.ended.how, "unknown");
    assert_near(found.cpu_s, 0);
    assert_non_null(strstr(found.why_not, "PID namespace"));
    fixture_end(&fixture);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(how_one_ended_that_nobody_saw_end_is_not_known),
        cmocka_unit_test(a_number_of_another_namespace_is_not_looked_up_here),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
