// SPDX-License-Identifier: Apache-2.0
#include "unit.h"
#include "wire/layout.h"

static const struct layout layout = {.text_ascii_size = 40, .text_compact_size = 56};

static uint32_t state_of(unsigned width, bool is_compact, bool is_ascii)
{
    return width << 2 | (uint32_t)is_compact << 5 | (uint32_t)is_ascii << 6;
}

static void ascii_begins_after_the_shorter_structure(void **state)
{
    (void)state;
    struct layout_text text;
    assert_true(layout_find_text(&layout, state_of(1, true, true), 7, &text));
    assert_int_equal(text.offset, 40);
    assert_int_equal(text.len, 7);
    assert_int_equal(text.width, 1);
}

static void other_text_has_a_width(void **state)
{
    (void)state;

    static const unsigned widths[] = {1, 2, 4};

    for (size_t i = 0; i < 3; i++) {
        struct layout_text text;
        assert_true(layout_find_text(&layout, state_of(widths[i], true, false), 7, &text));
        assert_int_equal(text.offset, 56);
        assert_int_equal(text.len, 7 * widths[i]);
        assert_int_equal(text.width, widths[i]);
    }
}

static void what_is_too_long_is_cut(void **state)
{
    (void)state;
    struct layout_text text;
    assert_true(layout_find_text(&layout, state_of(4, true, false), UINT64_MAX, &text));
    assert_int_equal(text.len, 4 * LAYOUT_TEXT_POINTS_MAX);
}

static void what_is_no_string_in_one_piece_is_refused(void **state)
{
    (void)state;
    struct layout_text text;
    assert_false(layout_find_text(&layout, state_of(1, false, true), 7, &text));
    assert_false(layout_find_text(&layout, state_of(3, true, false), 7, &text));
    assert_false(layout_find_text(&layout, state_of(0, true, false), 7, &text));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ascii_begins_after_the_shorter_structure),
        cmocka_unit_test(other_text_has_a_width),
        cmocka_unit_test(what_is_too_long_is_cut),
        cmocka_unit_test(what_is_no_string_in_one_piece_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
