// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stdbool.h>

#include "collect/chance.h"
#include "leak_program.h"
#include "unit.h"

static bool is_near(double left, double right)
{
    return fabs(left - right) <= 1e-6 * right;
}

static void few_of_many_expected_are_a_surprise(void **state)
{
    (void)state;
    assert_true(is_near(chance_of_so_few(0, 10), exp(-10)));
    assert_true(is_near(chance_of_so_few(2, 4), 13 * exp(-4)));
    assert_true(is_near(chance_of_so_few(1.5, 4), 13 * exp(-4))); // a part counts as a whole
    assert_true(chance_of_so_few(100, 4) > 0.999999);
    assert_true(is_near(chance_of_so_few(0, 0), 1));
}

// 10,000 times a score of moments from a rate that falls by exp(-5): the bound is kept at each
// level.
static void the_bound_on_late_moments_holds(void **state)
{
    (void)state;

    enum { RUNS = 10000, MOMENTS = 20 };
    struct program dice = {.random = 1};
    int beyond[3] = {0};
    for (int run = 0; run < RUNS; run++) {
        double sum = 0;
        for (int i = 0; i < MOMENTS; i++) {
            sum -= log(1 - program_chance(&dice) * (1 - exp(-5))) / 5;
        }
        double chance = chance_of_so_late(sum / MOMENTS, MOMENTS, 5);
        beyond[0] += chance < 0.1;
        beyond[1] += chance < 0.01;
        beyond[2] += chance < 0.001;
    }
    assert_true(beyond[0] > 0 && beyond[0] < RUNS / 10);
    assert_true(beyond[1] < RUNS / 100);
    assert_true(beyond[2] < RUNS / 1000);
}

static void moments_about_the_middle_are_a_surprise_and_later_ones_no_larger(void **state)
{
    (void)state;
    double divergence = 2.5 + log((1 - exp(-5)) / 5);
    assert_true(is_near(chance_of_so_late(0.5, 20, 5), exp(-20 * divergence)));
    assert_true(chance_of_so_late(0.9, 20, 5) == chance_of_so_late(0.5, 20, 5));
    assert_true(chance_of_so_late(0.1, 20, 5) == 1);
}

static void steady_steps_are_a_drift(void **state)
{
    (void)state;
    const double steady[] = {1, 1.1, 0.9, 1, 1, 1.1, 0.9, 1};
    const double wild[] = {3, -2, 4, -1, 3, -3, 4, 1};
    const double down[] = {-1, -1, -1, -1, -1, -1, -1, -2};
    assert_true(chance_of_such_drift(steady, 8) < 1e-7);
    assert_true(chance_of_such_drift(wild, 8) > 0.1);
    assert_true(chance_of_such_drift(down, 8) == 1);
    // Student's distribution with 7 degrees of freedom: 2.998 is exceeded once in a hundred times.
    const double t = 2.99795;
    const double spread = sqrt(8.0 / 7);
    double steps[8];
    for (int i = 0; i < 8; i++) {
        steps[i] = t / sqrt(8) + (i % 2 ? 1 : -1) / spread;
    }
    assert_true(fabs(chance_of_such_drift(steps, 8) - 0.01) < 1e-5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(few_of_many_expected_are_a_surprise),
        cmocka_unit_test(the_bound_on_late_moments_holds),
        cmocka_unit_test(moments_about_the_middle_are_a_surprise_and_later_ones_no_larger),
        cmocka_unit_test(steady_steps_are_a_drift),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
