// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "launch/live_program.h"
#include "unit.h"
#include "wire/control.h"

#define LOOKS 3000 // of 20 ms: on any machine more than it takes to find that a program has left

static const struct run_dir_options options = {.is_on = true, .period_ns = 10000000};

struct fixture {
    struct run_dir dir;
    struct live_program program;
    pid_t child;
};

// A program that has the run's page, and stays until it is killed; or one that never had it.
static void begin(struct fixture *fixture, bool has_page)
{
    struct error err = {0};
    assert_true(run_dir_open(&fixture->dir, &options, &err));
    fixture->child = fork();
    if (fixture->child == 0) {
        if (!has_page) {
            control_close(fixture->dir.control);
        }
        pause();
        _exit(0);
    }
    assert_true(live_program_find(&fixture->program, fixture->child, &fixture->dir, &err));
    assert_int_equal(fixture->dir.control->owner_pid, getpid());
}

static void end(struct fixture *fixture)
{
    kill(fixture->child, SIGKILL);
    waitpid(fixture->child, NULL, 0);
    live_program_clear(&fixture->program);
    run_dir_close(&fixture->dir);
}

static enum live_program_state wait_long(struct fixture *fixture)
{
    enum live_program_state state = LIVE_PROGRAM_RUNS;
    for (int i = 0; i < LOOKS && state == LIVE_PROGRAM_RUNS; i++) {
        state = live_program_wait(&fixture->program, 20);
    }
    return state;
}

static void it_runs_until_it_says_so(void **state)
{
    (void)state;
    struct fixture fixture;
    begin(&fixture, true);
    assert_int_equal(live_program_wait(&fixture.program, 0), LIVE_PROGRAM_RUNS);
    atomic_store(&fixture.dir.control->stage, CONTROL_IS_TO_END);
    assert_int_equal(live_program_wait(&fixture.program, 0), LIVE_PROGRAM_STOPS);
    end(&fixture);
}

static void its_end_is_seen(void **state)
{
    (void)state;
    struct fixture fixture;
    begin(&fixture, true);
    kill(fixture.child, SIGKILL);
    assert_int_equal(wait_long(&fixture), LIVE_PROGRAM_ENDED);
    end(&fixture);
}

static void another_program_in_its_place_is_seen(void **state)
{
    (void)state;
    struct fixture fixture;
    begin(&fixture, false);
    assert_int_equal(wait_long(&fixture), LIVE_PROGRAM_ENDED);
    end(&fixture);
}

static void the_answer_is_there_before_the_stage_says_so(void **state)
{
    (void)state;
    struct fixture fixture;
    begin(&fixture, true);
    pid_t reader = fork();
    if (reader == 0) {
        while (atomic_load(&fixture.dir.control->stage) != CONTROL_IS_SAVED) {
            usleep(100);
        }
        char text[16] = {0};
        int fd = openat(fixture.dir.fd, CONTROL_ANSWER_FILE, O_RDONLY);
        bool is_right = read(fd, text, sizeof text - 1) == 5 && strcmp(text, "/here") == 0;
        atomic_store(&fixture.dir.control->stage, CONTROL_IS_OVER);
        _exit(is_right ? 0 : 1);
    }
    live_program_answer(&fixture.program, "/here");
    int status;
    assert_int_equal(waitpid(reader, &status, 0), reader);
    assert_int_equal(status, 0);
    assert_int_equal(atomic_load(&fixture.dir.control->stage), CONTROL_IS_OVER);
    end(&fixture);
}

static void a_process_that_is_not_there_is_refused(void **state)
{
    (void)state;
    struct run_dir dir;
    struct live_program program;
    struct error err = {0};
    assert_true(run_dir_open(&dir, &options, &err));
    pid_t gone = fork();
    if (gone == 0) {
        _exit(0);
    }
    waitpid(gone, NULL, 0);
    assert_false(live_program_find(&program, gone, &dir, &err));
    assert_non_null(strstr(err.text, "no process"));
    run_dir_close(&dir);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_runs_until_it_says_so),
        cmocka_unit_test(its_end_is_seen),
        cmocka_unit_test(another_program_in_its_place_is_seen),
        cmocka_unit_test(the_answer_is_there_before_the_stage_says_so),
        cmocka_unit_test(a_process_that_is_not_there_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
