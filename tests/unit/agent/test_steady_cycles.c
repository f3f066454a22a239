// SPDX-License-Identifier: Apache-2.0
#include "agent/steady_cycles.h"
#include "unit.h"

#define IS_EVEN (1u << 8)

static void a_counter_that_the_kernel_goes_by_is_a_clock(void **state)
{
    (void)state;
    assert_true(steady_cycles_by(IS_EVEN, "tsc"));
    assert_true(steady_cycles_by(0, "tsc"));
}

static void a_counter_that_the_kernel_has_given_up_is_none(void **state)
{
    (void)state;
    assert_false(steady_cycles_by(IS_EVEN, "hpet"));
    assert_false(steady_cycles_by(IS_EVEN, "acpi_pm"));
}

static void where_the_kernel_has_its_hosts_clock_the_processors_word_counts(void **state)
{
    (void)state;
    assert_true(steady_cycles_by(IS_EVEN, "kvm-clock"));
    assert_false(steady_cycles_by(0, "kvm-clock"));
    assert_true(steady_cycles_by(IS_EVEN, ""));
    assert_false(steady_cycles_by(0, ""));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_counter_that_the_kernel_goes_by_is_a_clock),
        cmocka_unit_test(a_counter_that_the_kernel_has_given_up_is_none),
        cmocka_unit_test(where_the_kernel_has_its_hosts_clock_the_processors_word_counts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
