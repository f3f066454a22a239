// SPDX-License-Identifier: Apache-2.0
#include <stdlib.h>

#include "launch/environment.h"
#include "unit.h"

static void assert_environment(const char *const *before, const char *const *expected)
{
    char **after =
        environment_with_agent((char *const *)before, "/lib/agent.so", "/dev/shm/scalene-1");
    size_t i = 0;
    for (; expected[i]; i++) {
        assert_non_null(after[i]);
        assert_string_equal(after[i], expected[i]);
    }
    assert_null(after[i]);
    free(after);
}

static void two_variables_are_added_at_the_end(void **state)
{
    (void)state;
    const char *const before[] = {"A=1", "B=", NULL};
    const char *const expected[] = {"A=1", "B=", "LD_PRELOAD=/lib/agent.so",
                                    "SCALENE_RUN_DIR=/dev/shm/scalene-1", NULL};
    assert_environment(before, expected);
}

static void what_was_preloaded_stays_behind_the_agent(void **state)
{
    (void)state;
    const char *const before[] = {"LD_PRELOAD=/x.so:/y.so", "A=1", NULL};
    const char *const expected[] = {"LD_PRELOAD=/lib/agent.so:/x.so:/y.so", "A=1",
                                    "SCALENE_RUN_DIR=/dev/shm/scalene-1", NULL};
    assert_environment(before, expected);
    const char *const empty[] = {"LD_PRELOAD=", NULL};
    const char *const plain[] = {"LD_PRELOAD=/lib/agent.so", "SCALENE_RUN_DIR=/dev/shm/scalene-1",
                                 NULL};
    assert_environment(empty, plain);
}

static void a_run_inside_a_run_is_its_own(void **state)
{
    (void)state;
    const char *const before[] = {"SCALENE_RUN_DIR=/dev/shm/scalene-0",
                                  "LD_PRELOAD=/x.so:/lib/agent.so", NULL};
    const char *const expected[] = {"SCALENE_RUN_DIR=/dev/shm/scalene-1",
                                    "LD_PRELOAD=/x.so:/lib/agent.so", NULL};
    assert_environment(before, expected);
}

static void names_that_only_begin_alike_are_others(void **state)
{
    (void)state;
    const char *const before[] = {"LD_PRELOAD_MORE=1", "LD_PRELOAD", NULL};
    const char *const expected[] = {"LD_PRELOAD_MORE=1", "LD_PRELOAD", "LD_PRELOAD=/lib/agent.so",
                                    "SCALENE_RUN_DIR=/dev/shm/scalene-1", NULL};
    assert_environment(before, expected);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_variables_are_added_at_the_end),
        cmocka_unit_test(what_was_preloaded_stays_behind_the_agent),
        cmocka_unit_test(a_run_inside_a_run_is_its_own),
        cmocka_unit_test(names_that_only_begin_alike_are_others),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
