// SPDX-License-Identifier: Apache-2.0
#include <stdio.h>

#include "profile/async.h"
#include "unit.h"

static void names_are_sorted_and_each_is_there_once(void **state)
{
    (void)state;
    struct profile_async async = {0};
    profile_async_add_name(&async, "b");
    profile_async_add_name(&async, "c");
    profile_async_add_name(&async, "a");
    profile_async_add_name(&async, "b");
    assert_int_equal(async.task_name_count, 3);
    assert_string_equal(async.task_names[0], "a");
    assert_string_equal(async.task_names[1], "b");
    assert_string_equal(async.task_names[2], "c");
    profile_async_clear(&async);
}

static void more_names_than_a_line_may_have_are_left_out(void **state)
{
    (void)state;
    struct profile_async async = {0};
    for (unsigned i = 0; i < 3 * PROFILE_TASK_NAMES_MAX; i++) {
        char name[16];
        snprintf(name, sizeof name, "Task-%u", i);
        profile_async_add_name(&async, name);
    }
    assert_int_equal(async.task_name_count, PROFILE_TASK_NAMES_MAX);
    profile_async_clear(&async);
}

static void how_many_at_once_is_weighed_by_time(void **state)
{
    (void)state;
    struct profile_async sum = {0};
    assert_true(profile_async_mean(&sum) == 0);
    struct profile_async one = {.await_s = 8, .occupied_s = 2, .shared_s = 8, .peak = 5};
    struct profile_async other = {.await_s = 2, .occupied_s = 2, .shared_s = 2, .peak = 1};
    profile_async_add(&sum, &one);
    profile_async_add(&sum, &other);
    assert_true(sum.await_s == 10);
    assert_true(profile_async_mean(&sum) == 2.5);
    assert_true(sum.peak == 5);
    profile_async_clear(&sum);
}

static void the_longest_stretch_of_two_is_the_longer(void **state)
{
    (void)state;
    struct profile_async sum = {.block_count = 1, .block_s = 0.2, .block_longest_s = 0.2};
    struct profile_async part = {.block_count = 2, .block_s = 0.5, .block_longest_s = 0.4};
    profile_async_add(&sum, &part);
    assert_int_equal(sum.block_count, 3);
    assert_true(sum.block_longest_s == 0.4);
    assert_true(sum.block_s > 0.69 && sum.block_s < 0.71);
    profile_async_clear(&sum);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_sorted_and_each_is_there_once),
        cmocka_unit_test(more_names_than_a_line_may_have_are_left_out),
        cmocka_unit_test(how_many_at_once_is_weighed_by_time),
        cmocka_unit_test(the_longest_stretch_of_two_is_the_longer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
