// SPDX-License-Identifier: Apache-2.0
#include "agent/timer_list.h"
#include "unit.h"

#define COUNT 100

static bool exists(struct raw_timer timer)
{
    struct itimerspec off = {0};
    return raw_timer_settime(timer, 0, &off, NULL) == 0;
}

static char cookie;

static void make(struct raw_timer timers[COUNT])
{
    for (int i = 0; i < COUNT; i++) {
        assert_true(timer_list_make(&timers[i], CLOCK_MONOTONIC, raw_gettid(), &cookie));
        assert_true(exists(timers[i]));
    }
}

static void a_timer_is_removed_once(void **state)
{
    (void)state;
    struct raw_timer timers[COUNT];
    make(timers);
    timer_list_remove(timers[0]);
    assert_false(exists(timers[0]));
    timer_list_remove(timers[0]);
    timer_list_remove_all();
    for (int i = 0; i < COUNT; i++) {
        assert_false(exists(timers[i]));
    }
}

// A timer of the program's that has the number of one of ours from before the fork.
static void what_is_not_listed_is_not_removed(void **state)
{
    (void)state;
    struct raw_timer timers[COUNT];
    make(timers);
    timer_list_forked();
    timer_list_remove(timers[1]);
    timer_list_remove_all();
    for (int i = 0; i < COUNT; i++) {
        assert_true(exists(timers[i]));
        raw_timer_delete(timers[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_timer_is_removed_once),
        cmocka_unit_test(what_is_not_listed_is_not_removed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
