// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "unit.h"
#include "wire/variable.h"

static void a_value_belongs_to_its_whole_name(void **state)
{
    (void)state;
    assert_string_equal(variable_value("A=b=c", "A"), "b=c");
    assert_string_equal(variable_value("A=", "A"), "");
    assert_null(variable_value("AB=c", "A"));
    assert_null(variable_value("A", "A"));
    assert_null(variable_value("", "A"));
}

static void a_library_is_listed_by_its_whole_path(void **state)
{
    (void)state;
    assert_true(variable_lists("/a.so", "/a.so"));
    assert_true(variable_lists("/b.so:/a.so", "/a.so"));
    assert_true(variable_lists("/b.so /a.so:", "/a.so"));
    assert_false(variable_lists("/a.so.1", "/a.so"));
    assert_false(variable_lists("/x/a.so", "/a.so"));
    assert_false(variable_lists("", "/a.so"));
}

static void assert_rest(const char *list, const char *rest)
{
    char out[64];
    assert_true(variable_without(list, "/a.so", out, sizeof out));
    assert_string_equal(out, rest);
}

static void what_else_is_listed_stays(void **state)
{
    (void)state;
    assert_rest("/a.so", "");
    assert_rest("/a.so:/b.so", "/b.so");
    assert_rest("/b.so:/a.so", "/b.so");
    assert_rest("/b.so:/a.so:/c.so", "/b.so:/c.so");
    assert_rest("/a.so:/a.so", "");
    assert_rest("/b.so", "/b.so");
    assert_rest("", "");
}

static void what_does_not_fit_is_left_alone(void **state)
{
    (void)state;
    char out[8];
    assert_false(variable_without("/a.so:/b.so", "/a.so", out, sizeof out));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_value_belongs_to_its_whole_name),
        cmocka_unit_test(a_library_is_listed_by_its_whole_path),
        cmocka_unit_test(what_else_is_listed_stays),
        cmocka_unit_test(what_does_not_fit_is_left_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
