// SPDX-License-Identifier: Apache-2.0
#include "collect/block_table.h"
#include "unit.h"

static void what_was_added_is_found_until_it_is_removed(void **state)
{
    (void)state;
    struct block_table table = {0};
    assert_null(block_table_find(&table, 1));
    for (uint64_t number = 1; number <= 1000; number++) {
        assert_true(block_table_add(&table, &(struct block){.number = number, .size = number * 8}));
    }
    for (uint64_t number = 3; number <= 1000; number += 3) {
        block_table_remove(&table, block_table_find(&table, number));
    }
    assert_int_equal(table.count, 1000 - 333);
    for (uint64_t number = 1; number <= 1000; number++) {
        const struct block *block = block_table_find(&table, number);
        assert_true((number % 3 == 0) == (block == NULL));
        assert_true(!block || block->size == number * 8);
    }
    block_table_clear(&table);
    assert_null(block_table_find(&table, 1));
}

static void a_full_table_takes_no_more(void **state)
{
    (void)state;
    struct block_table table = {0};
    for (uint64_t number = 1; number <= BLOCK_TABLE_MAX; number++) {
        assert_true(block_table_add(&table, &(struct block){.number = number << 20}));
    }
    assert_false(block_table_add(&table, &(struct block){.number = 7}));
    block_table_remove(&table, block_table_find(&table, 1u << 20));
    assert_true(block_table_add(&table, &(struct block){.number = 7}));
    assert_int_equal(table.count, BLOCK_TABLE_MAX);
    block_table_clear(&table);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_added_is_found_until_it_is_removed),
        cmocka_unit_test(a_full_table_takes_no_more),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
