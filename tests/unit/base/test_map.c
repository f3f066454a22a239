// SPDX-License-Identifier: Apache-2.0
#include <stdio.h>
#include <string.h>

#include "base/map.h"
#include "unit.h"

static void an_empty_map_has_nothing(void **state)
{
    (void)state;
    struct map map = {0};
    assert_int_equal(map_get(&map, 0), 0);
    assert_int_equal(map_get(&map, 42), 0);
    map_clear(&map);
    map_clear(&map);
}

static void the_last_value_put_is_the_one_found(void **state)
{
    (void)state;
    struct map map = {0};
    map_put(&map, 7, 1);
    map_put(&map, 7, 2);
    assert_int_equal(map_get(&map, 7), 2);
    assert_int_equal(map.count, 1);
    map_clear(&map);
    assert_int_equal(map_get(&map, 7), 0);
}

static void zero_and_all_ones_are_keys_like_others(void **state)
{
    (void)state;
    struct map map = {0};
    map_put(&map, 0, 5);
    map_put(&map, UINT64_MAX, 6);
    assert_int_equal(map_get(&map, 0), 5);
    assert_int_equal(map_get(&map, UINT64_MAX), 6);
    assert_int_equal(map_get(&map, 1), 0);
    map_clear(&map);
}

static void many_keys_survive_growing(void **state)
{
    (void)state;
    struct map map = {0};
    const uint64_t count = 100000;
    for (uint64_t i = 0; i < count; i++) {
        map_put(&map, i << 12, i + 1); // as addresses are: low bits all alike
    }
    assert_int_equal(map.count, count);
    for (uint64_t i = 0; i < count; i++) {
        assert_int_equal(map_get(&map, i << 12), i + 1);
        assert_int_equal(map_get(&map, (i << 12) + 1), 0);
    }
    map_clear(&map);
}

static void equal_names_get_equal_numbers_counted_from_zero(void **state)
{
    (void)state;
    struct names names = {0};
    assert_int_equal(names_add(&names, "alpha", 5), 0);
    assert_int_equal(names_add(&names, "beta", 4), 1);
    assert_int_equal(names_add(&names, "alphabet", 5), 0);
    assert_int_equal(names_add(&names, "alphabet", 8), 2);
    assert_int_equal(names_add(&names, "", 0), 3);
    assert_string_equal(names.texts[2], "alphabet");
    assert_string_equal(names.texts[3], "");
    names_clear(&names);
    assert_int_equal(names.count, 0);
    names_clear(&names);
}

static void a_name_ends_at_its_first_nul(void **state)
{
    (void)state;
    struct names names = {0};
    uint32_t cut = names_add(&names, "ab\0cd", 5);
    assert_int_equal(names_add(&names, "ab", 2), cut);
    names_clear(&names);
}

static void many_names_survive_growing(void **state)
{
    (void)state;
    struct names names = {0};
    char text[32];
    for (uint32_t i = 0; i < 20000; i++) {
        int len = snprintf(text, sizeof text, "name%u", i);
        assert_int_equal(names_add(&names, text, (size_t)len), i);
    }
    for (uint32_t i = 0; i < 20000; i++) {
        int len = snprintf(text, sizeof text, "name%u", i);
        assert_int_equal(names_add(&names, text, (size_t)len), i);
        assert_string_equal(names.texts[i], text);
    }
    names_clear(&names);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_empty_map_has_nothing),
        cmocka_unit_test(the_last_value_put_is_the_one_found),
        cmocka_unit_test(zero_and_all_ones_are_keys_like_others),
        cmocka_unit_test(many_keys_survive_growing),
        cmocka_unit_test(equal_names_get_equal_numbers_counted_from_zero),
        cmocka_unit_test(a_name_ends_at_its_first_nul),
        cmocka_unit_test(many_names_survive_growing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
