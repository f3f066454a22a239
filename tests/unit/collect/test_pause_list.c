// SPDX-License-Identifier: Apache-2.0
#include "collect/pause_list.h"
#include "unit.h"

static void only_what_lies_before_a_moment_counts(void **state)
{
    (void)state;
    struct pause_list pauses = {0};
    pause_list_add(&pauses, 100, 200);
    pause_list_add(&pauses, 300, 350);
    assert_int_equal((int)pause_list_before(&pauses, 50), 0);
    assert_int_equal((int)pause_list_before(&pauses, 100), 0);
    assert_int_equal((int)pause_list_before(&pauses, 150), 50);
    assert_int_equal((int)pause_list_before(&pauses, 250), 100);
    assert_int_equal((int)pause_list_before(&pauses, 1000), 150);
}

static void one_that_ends_before_it_begins_is_left_out(void **state)
{
    (void)state;
    struct pause_list pauses = {0};
    pause_list_add(&pauses, 200, 100);
    assert_int_equal((int)pause_list_before(&pauses, 1000), 0);
}

static void of_very_many_the_sum_stays(void **state)
{
    (void)state;
    struct pause_list pauses = {0};
    for (uint64_t i = 0; i < 10 * PAUSE_MAX; i++) {
        pause_list_add(&pauses, 100 * i, 100 * i + 10);
    }
    assert_int_equal((int)pause_list_before(&pauses, UINT64_MAX), (int)(10 * 10 * PAUSE_MAX));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_what_lies_before_a_moment_counts),
        cmocka_unit_test(one_that_ends_before_it_begins_is_left_out),
        cmocka_unit_test(of_very_many_the_sum_stays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
