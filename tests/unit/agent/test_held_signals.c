// SPDX-License-Identifier: Apache-2.0
#include <signal.h>

#include "agent/held_signals.h"
#include "unit.h"

static void hold(int value, int tid)
{
    siginfo_t info = {.si_code = SI_QUEUE};
    info.si_value.sival_int = value;
    held_signals_add(&info, tid);
}

static int take(int tid)
{
    siginfo_t info;
    return held_signals_take(tid, &info) ? info.si_value.sival_int : -1;
}

static int clear(void **state)
{
    (void)state;
    held_signals_clear();
    return 0;
}

static void they_come_back_in_the_order_they_came(void **state)
{
    (void)state;
    for (int i = 0; i < 40; i++) {
        hold(i, 0);
    }
    assert_int_equal(take(5), 0);
    hold(40, 0);
    for (int i = 1; i <= 40; i++) {
        assert_int_equal(take(5), i);
    }
    assert_int_equal(take(5), -1);
}

static void a_thread_gets_its_own_first_and_never_another_s(void **state)
{
    (void)state;
    hold(1, 0);
    hold(2, 7);
    hold(3, 5);
    assert_int_equal(take(5), 3);
    assert_int_equal(take(5), 1);
    assert_int_equal(take(5), -1);
    assert_false(held_signals_has(5));
    assert_true(held_signals_has(7));
}

static void too_many_are_lost_and_the_first_stay(void **state)
{
    (void)state;
    for (int i = 0; i < 1000; i++) {
        hold(i, 0);
    }
    int count = 0;
    while (held_signals_has(5)) {
        assert_int_equal(take(5), count++);
    }
    assert_in_range(count, 32, 999);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(they_come_back_in_the_order_they_came, clear),
        cmocka_unit_test_setup(a_thread_gets_its_own_first_and_never_another_s, clear),
        cmocka_unit_test_setup(too_many_are_lost_and_the_first_stay, clear),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
