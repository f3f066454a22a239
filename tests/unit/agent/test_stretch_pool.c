// SPDX-License-Identifier: Apache-2.0
#include <stdlib.h>
#include <string.h>

#include "agent/stretch_pool.h"
#include "unit.h"

#define MANY 1000 // more than a chunk has

static void each_has_its_own_and_zeros(void **state)
{
    (void)state;
    static struct byte_stretch *sets[MANY];
    for (size_t i = 0; i < MANY; i++) {
        sets[i] = stretch_pool_take();
        assert_non_null(sets[i]);
        for (size_t k = 0; k < STRETCH_POOL_COUNT; k++) {
            assert_int_equal(sets[i][k].mean, 0);
            sets[i][k] = (struct byte_stretch){1, 2, (uint32_t)i + 1};
        }
    }
    for (size_t i = 0; i < MANY; i++) {
        assert_int_equal(sets[i][0].mean, i + 1);
        assert_int_equal(sets[i][STRETCH_POOL_COUNT - 1].mean, i + 1);
        stretch_pool_give(sets[i]);
    }
}

static void what_is_given_back_is_had_again(void **state)
{
    (void)state;
    struct byte_stretch *first = stretch_pool_take();
    struct byte_stretch *second = stretch_pool_take();
    stretch_pool_give(first);
    assert_ptr_equal(stretch_pool_take(), first);
    stretch_pool_give(first);
    stretch_pool_give(second);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_has_its_own_and_zeros),
        cmocka_unit_test(what_is_given_back_is_had_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
