// SPDX-License-Identifier: Apache-2.0
#include <pthread.h>
#include <stdlib.h>

#include "agent/await_work.h"
#include "unit.h"

static struct await_table *table;

static int begin(void **state)
{
    (void)state;
    await_work_forget();
    table = calloc(1, sizeof *table);
    return table ? 0 : -1;
}

static int end(void **state)
{
    (void)state;
    free(table);
    return 0;
}

static uint64_t worked(uint32_t chain)
{
    return atomic_load(&table->chains[chain].worked);
}

static void work_is_for_the_await_in_which_the_step_ends(void **state)
{
    (void)state;
    await_work_put(0x1000);
    await_work_put(0x2000);
    await_work_settle(table, 7);
    await_work_begin(0x2000, 100);
    assert_int_equal(await_work_chain(), 7);
    await_work_end(table, 150);
    await_work_begin(0x1000, 200);
    await_work_end(table, 230);
    assert_int_equal(worked(7), 80);
    assert_int_equal(atomic_load(&table->chains[7].piece_count), 2);
    assert_false(await_work_is_open());
}

static void work_may_be_done_before_the_step(void **state)
{
    (void)state;
    await_work_put(0x1000);
    await_work_begin(0x1000, 100);
    assert_int_equal(await_work_chain(), 0);
    await_work_end(table, 160);
    await_work_settle(table, 3);
    assert_int_equal(worked(3), 60);
}

static void work_that_nobody_waits_for_is_not_counted(void **state)
{
    (void)state;
    await_work_put(0x1000);
    await_work_settle(table, 0);
    await_work_begin(0x1000, 100);
    await_work_end(table, 160);
    await_work_begin(0x3000, 200); // of a queue that has nothing to do with tasks
    assert_false(await_work_is_open());
    assert_int_equal(worked(0), 0);
}

static void the_first_piece_is_known_without_its_address(void **state)
{
    (void)state;
    await_work_put(AWAIT_WORK_UNKNOWN);
    await_work_settle(table, 5);
    await_work_begin(0x9000, 10);
    await_work_end(table, 30);
    await_work_begin(0x9000, 40);
    await_work_end(table, 90);
    assert_int_equal(worked(5), 20);
}

static void more_pieces_than_there_is_room_for_are_left_out(void **state)
{
    (void)state;
    for (uintptr_t i = 1; i <= 5000; i++) {
        await_work_put(i << 4);
    }
    await_work_settle(table, 9);
    for (uintptr_t i = 1; i <= 5000; i++) {
        await_work_begin(i << 4, 0);
        await_work_end(table, 1);
    }
    assert_in_range(worked(9), 512, 1024);
    await_work_put(0x10);
    await_work_settle(table, 11);
    await_work_begin(0x10, 0);
    await_work_end(table, 1);
    assert_int_equal(worked(11), 1); // there is room again
}

// Each is begun with by a thread that ends without coming for more.
static void *take_and_leave(void *piece)
{
    await_work_begin((uintptr_t)piece, 1);
    return NULL;
}

static void pieces_that_nobody_comes_back_from_make_room(void **state)
{
    (void)state;
    for (uintptr_t i = 1; i <= 3000; i++) {
        pthread_t thread;
        await_work_put(i << 4);
        await_work_settle(table, 9);
        assert_int_equal(pthread_create(&thread, NULL, take_and_leave, (void *)(i << 4)), 0);
        pthread_join(thread, NULL);
    }
    await_work_put(0x10);
    await_work_settle(table, 11);
    await_work_begin(0x10, 5);
    assert_int_equal(await_work_chain(), 11);
    await_work_end(table, 6);
    assert_int_equal(worked(11), 1);
    assert_int_equal(worked(9), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(work_is_for_the_await_in_which_the_step_ends, begin, end),
        cmocka_unit_test_setup_teardown(work_may_be_done_before_the_step, begin, end),
        cmocka_unit_test_setup_teardown(work_that_nobody_waits_for_is_not_counted, begin, end),
        cmocka_unit_test_setup_teardown(pieces_that_nobody_comes_back_from_make_room, begin, end),
        cmocka_unit_test_setup_teardown(the_first_piece_is_known_without_its_address, begin, end),
        cmocka_unit_test_setup_teardown(more_pieces_than_there_is_room_for_are_left_out, begin,
                                        end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
