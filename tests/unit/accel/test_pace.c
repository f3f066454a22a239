// SPDX-License-Identifier: Apache-2.0
#include "accel/pace.h"
#include "unit.h"

static int questions_in(double seconds, double cost_s)
{
    struct pace pace = {.period_s = 0.1};
    int count = 0;
    for (double now_s = 100; now_s < 100 + seconds; now_s += 0.01) {
        if (pace_is_due(&pace, now_s)) {
            pace_done(&pace, now_s, cost_s);
            count++;
        }
    }
    return count;
}

static void a_cheap_question_is_asked_in_every_period(void **state)
{
    (void)state;
    assert_in_range(questions_in(10, 0.00001), 99, 101);
}

static void a_dear_one_has_one_percent_of_the_time(void **state)
{
    (void)state;
    assert_in_range(questions_in(60, 0.005), 119, 121);
    assert_in_range(questions_in(60, 0.5), 6, 7); // and is asked now and then all the same,
    assert_in_range(questions_in(60, 5), 2, 2);   // but not half of the time
}

static void after_a_pause_nothing_is_made_up_for(void **state)
{
    (void)state;
    struct pace pace = {.period_s = 0.1};
    pace_done(&pace, 100, 0);
    assert_true(pace_is_due(&pace, 105));
    pace_done(&pace, 105, 0);
    assert_false(pace_is_due(&pace, 105.05));
    assert_true(pace_is_due(&pace, 105.1));
}

static void an_answer_is_of_the_time_since_the_last(void **state)
{
    (void)state;
    struct pace pace = {.period_s = 0.1};
    assert_float_equal(pace_since_s(&pace, 100), 99.9, 1e-9);
    pace_done(&pace, 100, 0.15); // so slow that the next is asked ten seconds later
    assert_float_equal(pace_since_s(&pace, 110), 100, 1e-9);
    assert_float_equal(pace_since_s(&pace, 150), 130, 1e-9); // after a pause
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_cheap_question_is_asked_in_every_period),
        cmocka_unit_test(a_dear_one_has_one_percent_of_the_time),
        cmocka_unit_test(after_a_pause_nothing_is_made_up_for),
        cmocka_unit_test(an_answer_is_of_the_time_since_the_last),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
