// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "base/error.h"
#include "unit.h"

static void setting_an_error_returns_false_and_keeps_the_sentence(void **state)
{
    (void)state;
    struct error err;
    assert_false(error_set(&err, "cannot open %s: %d", "x.json", 7));
    assert_string_equal(err.text, "cannot open x.json: 7");
}

static void wrapping_puts_the_context_in_front(void **state)
{
    (void)state;
    struct error err;
    error_set(&err, "no such file");
    assert_false(error_wrap(&err, "reading %s", "profile"));
    assert_false(error_wrap(&err, "view"));
    assert_string_equal(err.text, "view: reading profile: no such file");
}

static void a_sentence_that_is_too_long_is_cut(void **state)
{
    (void)state;
    char long_text[4000];
    memset(long_text, 'x', sizeof long_text);
    long_text[sizeof long_text - 1] = '\0';
    struct error err;
    error_set(&err, "%s", long_text);
    assert_int_equal(strlen(err.text), sizeof err.text - 1);
    error_wrap(&err, "context");
    assert_int_equal(strlen(err.text), sizeof err.text - 1);
    assert_memory_equal(err.text, "context: xxx", 12);
}

static void a_context_that_fills_the_buffer_leaves_only_itself(void **state)
{
    (void)state;
    char long_text[4000];
    memset(long_text, 'y', sizeof long_text);
    long_text[sizeof long_text - 1] = '\0';
    struct error err;
    error_set(&err, "inner");
    error_wrap(&err, "%s", long_text);
    assert_int_equal(strlen(err.text), sizeof err.text - 1);
    assert_null(strstr(err.text, "inner"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(setting_an_error_returns_false_and_keeps_the_sentence),
        cmocka_unit_test(wrapping_puts_the_context_in_front),
        cmocka_unit_test(a_sentence_that_is_too_long_is_cut),
        cmocka_unit_test(a_context_that_fills_the_buffer_leaves_only_itself),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
