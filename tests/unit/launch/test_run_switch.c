// SPDX-License-Identifier: Apache-2.0
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "launch/folder.h"
#include "launch/run_dir.h"
#include "launch/run_switch.h"
#include "unit.h"

// A run of this process's own, in a folder that TMPDIR names.
struct fixture {
    struct folder folder;
    struct run_dir dir;
};

static int open_fixture(void **state)
{
    static struct fixture fixture;
    struct error err = {0};
    folder_open(&fixture.folder);
    setenv("TMPDIR", fixture.folder.path, 1);
    struct run_dir_options options = {.is_on = true, .period_ns = 10000000};
    *state = &fixture;
    return run_dir_open_in(&fixture.dir, (const char *const[]){fixture.folder.path, NULL}, &options,
                           &err)
               ? 0
               : -1;
}

static int close_fixture(void **state)
{
    struct fixture *fixture = *state;
    run_dir_close(&fixture->dir);
    folder_close(&fixture->folder);
    unsetenv("TMPDIR");
    return 0;
}

static void a_run_is_known_by_whoever_made_it(void **state)
{
    struct fixture *fixture = *state;
    struct error err = {0};
    assert_int_equal(run_switch(getpid(), true, &err), RUN_WAS_SO_ALREADY);
    assert_int_equal(run_switch(getpid(), false, &err), RUN_SWITCHED);
    assert_false(run_switch_is_on(&fixture->dir));
    assert_true(run_switch_off_s(&fixture->dir) > 0);
    assert_int_equal(run_switch(getpid(), true, &err), RUN_SWITCHED);
    assert_true(run_switch_is_on(&fixture->dir));
    double off_s = run_switch_off_s(&fixture->dir);
    usleep(1000);
    assert_true(run_switch_off_s(&fixture->dir) == off_s);
}

static pid_t start_child(void)
{
    pid_t child = fork();
    if (child == 0) {
        pause();
        _exit(0);
    }
    return child;
}

static void a_run_is_known_by_a_child(void **state)
{
    struct fixture *fixture = *state;
    struct error err = {0};
    pid_t child = start_child();
    assert_int_equal(run_switch(child, false, &err), RUN_SWITCHED); // its parent made the run
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    assert_int_equal(run_switch(child, true, &err), RUN_NOT_FOUND);
    assert_non_null(strstr(err.text, "not found"));
    assert_false(run_switch_is_on(&fixture->dir));
}

static void a_run_that_is_over_is_not_found(void **state)
{
    struct fixture *fixture = *state;
    struct error err = {0};
    close(fixture->dir.fd); // and with it goes the lock
    fixture->dir.fd = -1;
    assert_int_equal(run_switch(getpid(), false, &err), RUN_NOT_FOUND);
    assert_non_null(strstr(err.text, "is not being profiled"));
    assert_true(run_switch_is_on(&fixture->dir));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_fixture, close_fixture)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_run_is_known_by_whoever_made_it),
        TEST(a_run_is_known_by_a_child),
        TEST(a_run_that_is_over_is_not_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
