// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "cli/last_work.h"
#include "unit.h"

// What is written to stderr between the two calls.
struct capture {
    int pipe_fds[2];
    int stderr_fd;
};

static void capture_begin(struct capture *capture)
{
    assert_int_equal(pipe2(capture->pipe_fds, O_NONBLOCK), 0);
    capture->stderr_fd = dup(STDERR_FILENO);
    dup2(capture->pipe_fds[1], STDERR_FILENO);
}

static void capture_end(struct capture *capture, char *text, size_t size)
{
    dup2(capture->stderr_fd, STDERR_FILENO);
    close(capture->stderr_fd);
    ssize_t len = read(capture->pipe_fds[0], text, size - 1);
    text[len > 0 ? len : 0] = '\0';
    close(capture->pipe_fds[0]);
    close(capture->pipe_fds[1]);
}

static void run(struct last_work *work, char *text, size_t size)
{
    struct capture capture;
    capture_begin(&capture);
    last_work_name(work, "resolving native symbols");
    work->shown_s -= 1;
    last_work_step(work, 340, 1200);
    last_work_step(work, 341, 1200); // too soon after the one before
    last_work_end(work);
    capture_end(&capture, text, size);
}

static void long_work_shows_how_far_it_is_and_clears_the_line(void **state)
{
    (void)state;
    char text[512];
    struct last_work work;
    last_work_begin(&work);
    work.is_shown_at_all = true;
    work.began_s -= 2;
    run(&work, text, sizeof text);
    assert_string_equal(text, "\r\033[Kscalene: resolving native symbols"
                              "\r\033[Kscalene: resolving native symbols 340/1200"
                              "\r\033[K");
}

static void short_work_shows_nothing(void **state)
{
    (void)state;
    char text[512];
    struct last_work work;
    last_work_begin(&work);
    work.is_shown_at_all = true;
    run(&work, text, sizeof text);
    assert_string_equal(text, "");
}

static void without_a_terminal_nothing_is_shown(void **state)
{
    (void)state;
    char text[512];
    struct capture capture;
    struct last_work work;
    capture_begin(&capture);
    last_work_begin(&work);
    capture_end(&capture, text, sizeof text);
    work.began_s -= 2;
    run(&work, text, sizeof text);
    assert_string_equal(text, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(long_work_shows_how_far_it_is_and_clears_the_line),
        cmocka_unit_test(short_work_shows_nothing),
        cmocka_unit_test(without_a_terminal_nothing_is_shown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
