// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "scratch.h"
#include "unit.h"
#include "wire/control.h"

static void write_page(const struct scratch *scratch, const struct control *content, size_t size)
{
    char path[128];
    snprintf(path, sizeof path, "%s/" CONTROL_FILE, scratch->folder);
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, content, sizeof *content), sizeof *content);
    assert_int_equal(ftruncate(fd, (off_t)size), 0);
    close(fd);
}

static void two_who_open_the_page_share_it(void **state)
{
    struct scratch *scratch = *state;
    struct control content = {
        .magic = CONTROL_MAGIC, .version = CONTROL_VERSION, .period_ns = 10000000};
    write_page(scratch, &content, CONTROL_SIZE);
    struct control *one = control_open(scratch->folder);
    struct control *other = control_open(scratch->folder);
    assert_non_null(one);
    assert_non_null(other);
    assert_int_equal(other->period_ns, 10000000);
    atomic_store(&one->is_on, 1);
    atomic_store(&one->root_pid, 3);
    assert_int_equal(atomic_load(&other->is_on), 1);
    assert_int_equal(atomic_load(&other->root_pid), 3);
    control_close(one);
    control_close(other);
    control_close(NULL);
}

static void a_page_of_another_version_is_refused(void **state)
{
    struct scratch *scratch = *state;
    struct control content = {.magic = CONTROL_MAGIC, .version = CONTROL_VERSION + 1};
    write_page(scratch, &content, CONTROL_SIZE);
    assert_null(control_open(scratch->folder));
    content = (struct control){.magic = 1, .version = CONTROL_VERSION};
    write_page(scratch, &content, CONTROL_SIZE);
    assert_null(control_open(scratch->folder));
}

static void a_short_page_is_refused(void **state)
{
    struct scratch *scratch = *state;
    struct control content = {.magic = CONTROL_MAGIC, .version = CONTROL_VERSION};
    write_page(scratch, &content, CONTROL_SIZE - 1);
    assert_null(control_open(scratch->folder));
}

static void no_page_and_no_folder_are_refused(void **state)
{
    struct scratch *scratch = *state;
    assert_null(control_open(scratch->folder));
    assert_null(control_open("/nonexistent"));
    char too_long[8192];
    memset(too_long, 'a', sizeof too_long);
    too_long[sizeof too_long - 1] = '\0';
    assert_null(control_open(too_long));
}

static int open_scratch(void **state)
{
    static struct scratch scratch;
    scratch_open(&scratch);
    *state = &scratch;
    return 0;
}

static int close_scratch(void **state)
{
    scratch_close(*state);
    return 0;
}

static void time_while_off_is_added_up(void **state)
{
    (void)state;
    struct control control = {.is_on = 1};
    assert_false(control_switch(&control, true, 100));
    assert_true(control_switch(&control, false, 100));
    assert_false(control_switch(&control, false, 150));
    assert_int_equal(control_off_ns(&control, 160), 60);
    assert_true(control_switch(&control, true, 200));
    assert_int_equal(control_off_ns(&control, 1000), 100);
    assert_true(control_switch(&control, false, 1000));
    assert_true(control_switch(&control, true, 1005));
    assert_int_equal(control_off_ns(&control, 2000), 105);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(time_while_off_is_added_up),
        cmocka_unit_test_setup_teardown(two_who_open_the_page_share_it, open_scratch,
                                        close_scratch),
        cmocka_unit_test_setup_teardown(a_page_of_another_version_is_refused, open_scratch,
                                        close_scratch),
        cmocka_unit_test_setup_teardown(a_short_page_is_refused, open_scratch, close_scratch),
        cmocka_unit_test_setup_teardown(no_page_and_no_folder_are_refused, open_scratch,
                                        close_scratch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
