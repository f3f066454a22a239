// SPDX-License-Identifier: Apache-2.0
#include <stdlib.h>

#include "agent/await_sums.h"
#include "agent/cpython/interpreter.h"
#include "agent/session.h"
#include "unit.h"

struct session session;

struct ring *session_ring(void)
{
    return NULL;
}

uintptr_t interpreter_thread_state(void)
{
    return 0;
}

static struct await_table *table;

static int begin(void **state)
{
    (void)state;
    table = calloc(1, sizeof *table);
    return table ? 0 : -1;
}

static int end(void **state)
{
    (void)state;
    free(table);
    return 0;
}

// A chain of two frames, the inner one of which is a library's.
static uint32_t add_chain(uint64_t key, uint32_t code_id)
{
    struct record_frame frames[] = {{.code_id = 1, .offset = 2}, {.code_id = code_id, .offset = 6}};
    return await_sums_add(table, key, frames, 2, 1);
}

static const struct await_sum *sum_of(uint32_t chain)
{
    return await_site_sum(table, table->chains[chain].site);
}

static void a_site_has_the_sum_of_its_only_chain(void **state)
{
    (void)state;
    uint32_t chain = add_chain(0x11, 5);
    assert_int_not_equal(chain, 0);
    await_sums_begin(table, chain, 100);
    await_sums_begin(table, chain, 110);
    await_sums_end(table, chain, 130);
    assert_int_equal(sum_of(chain)->waited, 10 + 2 * 20);
    assert_int_equal(sum_of(chain)->occupied, 30);
    assert_int_equal(sum_of(chain)->now, 1);
}

static void a_second_chain_adds_to_what_there_is(void **state)
{
    (void)state;
    uint32_t first = add_chain(0x11, 5);
    await_sums_begin(table, first, 100);
    uint32_t second = add_chain(0x21, 5);
    uint32_t third = add_chain(0x31, 5);
    uint32_t elsewhere = add_chain(0x41, 6);
    assert_int_equal(table->chains[first].site, table->chains[second].site);
    assert_int_not_equal(table->chains[first].site, table->chains[elsewhere].site);
    await_sums_begin(table, second, 110);
    await_sums_begin(table, third, 120);
    await_sums_begin(table, elsewhere, 120);
    await_sums_end(table, first, 130);
    await_sums_end(table, second, 130);
    await_sums_end(table, third, 150);
    assert_int_equal(sum_of(second)->waited, 10 + 2 * 10 + 3 * 10 + 20);
    assert_int_equal(sum_of(second)->occupied, 50);
    assert_int_equal(sum_of(second)->peak, 3);
    assert_int_equal(sum_of(second)->count, 3);
    assert_int_equal(sum_of(elsewhere)->count, 1);
    assert_int_equal(table->chains[first].sum.waited, 30);
    assert_int_equal(table->chains[second].sum.waited, 20);
}

static void where_a_coroutine_waits_is_recalled_once(void **state)
{
    (void)state;
    await_sums_remember(0x7f0012345670, 17);
    assert_int_equal(await_sums_recall(0x7f0012345680), 0);
    assert_int_equal(await_sums_recall(0x7f0012345670), 17);
    assert_int_equal(await_sums_recall(0x7f0012345670), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_site_has_the_sum_of_its_only_chain, begin, end),
        cmocka_unit_test_setup_teardown(a_second_chain_adds_to_what_there_is, begin, end),
        cmocka_unit_test_setup_teardown(where_a_coroutine_waits_is_recalled_once, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
