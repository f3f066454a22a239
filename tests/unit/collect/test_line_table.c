// SPDX-License-Identifier: Apache-2.0
#include "collect/line_table.h"
#include "unit.h"

static void lnotab_adds_the_line_after_the_range(void **state)
{
    (void)state;
    const uint8_t bytes[] = {4, 1, 6, 2, 2, 0xff};
    struct line_table table;
    assert_true(line_table_decode(&table, 9, 10, bytes, sizeof bytes));
    assert_int_equal(line_table_line(&table, 0), 10);
    assert_int_equal(line_table_line(&table, 3), 10);
    assert_int_equal(line_table_line(&table, 4), 11);
    assert_int_equal(line_table_line(&table, 10), 13);
    assert_int_equal(line_table_line(&table, 12), 12);
    assert_int_equal(line_table_line(&table, 4000), 12);
    line_table_clear(&table);
}

static void lnotab_joins_continued_pairs(void **state)
{
    (void)state;
    const uint8_t bytes[] = {255, 0, 45, 127, 0, 73};
    struct line_table table;
    assert_true(line_table_decode(&table, 8, 1, bytes, sizeof bytes));
    assert_int_equal(line_table_line(&table, 299), 1);
    assert_int_equal(line_table_line(&table, 300), 201);
    assert_int_equal(table.count, 2);
    line_table_clear(&table);
}

static void ranges_add_the_line_before_the_range(void **state)
{
    (void)state;
    const uint8_t bytes[] = {4, 1, 6, 0x80, 2, 2};
    struct line_table table;
    assert_true(line_table_decode(&table, 10, 10, bytes, sizeof bytes));
    assert_int_equal(line_table_line(&table, 0), 11);
    assert_int_equal(line_table_line(&table, 4), 11); // has no line of its own
    assert_int_equal(line_table_line(&table, 10), 13);
    line_table_clear(&table);
}

static void locations_of_each_form_are_understood(void **state)
{
    (void)state;
    const uint8_t bytes[] = {
        0x80 | 0 << 3 | 0,  0x00,                         // short: the same line, 1 unit
        0x80 | 11 << 3 | 1, 0x01, 0x02,                   // one line on, 2 units
        0x80 | 13 << 3 | 0, 0x47, 0x01,                   // no columns: -(71 >> 1)
        0x80 | 15 << 3 | 0,                               // no line
        0x80 | 14 << 3 | 0, 0x04, 0x01, 0x41, 0x01, 0x05, // long: +2
    };
    struct line_table table;
    assert_true(line_table_decode(&table, 12, 100, bytes, sizeof bytes));
    assert_int_equal(line_table_line(&table, 1), 100);
    assert_int_equal(line_table_line(&table, 2), 101);
    assert_int_equal(line_table_line(&table, 5), 101);
    assert_int_equal(line_table_line(&table, 6), 66);
    assert_int_equal(line_table_line(&table, 8), 66);
    assert_int_equal(line_table_line(&table, 10), 68);
    line_table_clear(&table);
}

static void before_the_first_instruction_is_the_first_line(void **state)
{
    (void)state;
    const uint8_t bytes[] = {4, 5};
    struct line_table table;
    assert_true(line_table_decode(&table, 10, 10, bytes, sizeof bytes));
    assert_int_equal(line_table_line(&table, -1), 10);
    line_table_clear(&table);
    assert_true(line_table_decode(&table, 13, 7, NULL, 0));
    assert_int_equal(line_table_line(&table, 12), 7);
    line_table_clear(&table);
}

static void a_cut_table_is_refused_but_keeps_its_rows(void **state)
{
    (void)state;
    const uint8_t bytes[] = {0x80 | 11 << 3, 0, 0, 0x80 | 14 << 3, 0x04};
    struct line_table table;
    assert_false(line_table_decode(&table, 13, 10, bytes, sizeof bytes));
    assert_int_equal(table.count, 1);
    assert_int_equal(line_table_line(&table, 0), 11);
    line_table_clear(&table);
    const uint8_t endless[] = {0x80 | 13 << 3, 0x7f, 0x7f, 0x7f, 0x7f, 0x7f, 0x7f, 0x7f, 0x7f};
    assert_false(line_table_decode(&table, 13, 10, endless, sizeof endless));
    line_table_clear(&table);
    const uint8_t headless[] = {0x12, 0x34};
    assert_false(line_table_decode(&table, 13, 10, headless, sizeof headless));
    line_table_clear(&table);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lnotab_adds_the_line_after_the_range),
        cmocka_unit_test(lnotab_joins_continued_pairs),
        cmocka_unit_test(ranges_add_the_line_before_the_range),
        cmocka_unit_test(locations_of_each_form_are_understood),
        cmocka_unit_test(before_the_first_instruction_is_the_first_line),
        cmocka_unit_test(a_cut_table_is_refused_but_keeps_its_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
