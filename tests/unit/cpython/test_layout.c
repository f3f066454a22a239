// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "agent/cpython/layout.h"
#include "unit.h"

#define VERSION(minor) (3u << 24 | (uint32_t)(minor) << 16 | 0xf0)

// The first bytes of _PyRuntime as 3.15 has them, with the numbers that are looked at.
static void fill_debug_offsets(uint64_t words[100])
{
    memset(words, 0, 100 * sizeof *words);
    memcpy(words, "xdebugpy", 8);

    const struct {
        unsigned byte;
        uint64_t value;
    } numbers[] = {
        {208, 72},  {240, 152}, {320, 8},   {328, 0},  {336, 56},  {352, 74}, {384, 112},
        {392, 120}, {400, 128}, {408, 136}, {416, 68}, {448, 208}, {464, 16}, {472, 8},
        {696, 16},  {704, 32},  {720, 32},  {728, 16}, {736, 40},
    };

    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        words[numbers[i].byte / 8] = numbers[i].value;
    }
}

static void every_supported_version_has_a_layout(void **state)
{
    (void)state;
    uint64_t runtime[100] = {0};
    struct layout layout;
    for (int minor = 8; minor <= 12; minor++) {
        assert_true(layout_find(&layout, VERSION(minor), runtime));
        assert_int_equal(layout.minor, minor);
        assert_false(layout_is_guess(VERSION(minor)));
    }
    fill_debug_offsets(runtime);
    assert_true(layout_find(&layout, VERSION(15), runtime));
    assert_int_equal(layout.state_frame, 72);
    assert_int_equal(layout.code_instructions, 208);
    assert_int_equal(layout.code_flags, 48);
}

static void a_future_version_is_read_by_its_own_numbers(void **state)
{
    (void)state;
    uint64_t runtime[100];
    struct layout layout;
    fill_debug_offsets(runtime);
    assert_true(layout_find(&layout, VERSION(16), runtime));
    assert_int_equal(layout.minor, 16);
    assert_true(layout_is_guess(VERSION(16)));
}

static void implausible_numbers_are_refused(void **state)
{
    (void)state;
    uint64_t runtime[100];
    struct layout layout;
    fill_debug_offsets(runtime);
    runtime[208 / 8] = 73; // a pointer at an odd place
    assert_false(layout_find(&layout, VERSION(16), runtime));
    fill_debug_offsets(runtime);
    runtime[384 / 8] = 1u << 30;
    assert_false(layout_find(&layout, VERSION(16), runtime));
    fill_debug_offsets(runtime);
    memcpy(runtime, "xdebugp?", 8);
    assert_false(layout_find(&layout, VERSION(16), runtime));
}

static void another_python_than_3_is_refused(void **state)
{
    (void)state;
    uint64_t runtime[100] = {0};
    struct layout layout;
    assert_false(layout_find(&layout, 2u << 24 | 7u << 16, runtime));
    assert_false(layout_find(&layout, VERSION(7), runtime));
    assert_false(layout_find(&layout, 4u << 24, runtime));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_supported_version_has_a_layout),
        cmocka_unit_test(a_future_version_is_read_by_its_own_numbers),
        cmocka_unit_test(implausible_numbers_are_refused),
        cmocka_unit_test(another_python_than_3_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
