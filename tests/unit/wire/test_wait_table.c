// SPDX-License-Identifier: Apache-2.0
#include <pthread.h>
#include <string.h>

#include "unit.h"
#include "wire/ring.h"

static struct wait_table table;

static int start(void **state)
{
    (void)state;
    memset(&table, 0, sizeof table);
    return 0;
}

static size_t index_of(const struct wait_slot *slot)
{
    return (size_t)(slot - table.slots);
}

static void begin(struct wait_slot *slot, uint64_t begin_ns, uint64_t thread_state)
{
    atomic_store(&slot->state, thread_state);
    atomic_store(&slot->begin_ns, begin_ns);
}

static void a_thread_that_waits_is_seen_and_one_that_does_not_is_not(void **state)
{
    (void)state;
    struct wait_view view;
    struct wait_slot *slot = wait_table_claim(&table, 17);
    assert_non_null(slot);
    assert_false(wait_table_read(&table, index_of(slot), &view));
    begin(slot, 1000, 0x7000);
    assert_true(wait_table_read(&table, index_of(slot), &view));
    assert_int_equal(view.begin_ns, 1000);
    assert_int_equal(view.state, 0x7000);
    assert_int_equal(view.tid, 17);
    atomic_store(&slot->begin_ns, 0);
    assert_false(wait_table_read(&table, index_of(slot), &view));
}

static void a_wait_goes_on_until_it_ends_or_another_begins(void **state)
{
    (void)state;
    struct wait_view view;
    struct wait_slot *slot = wait_table_claim(&table, 17);
    begin(slot, 1000, 0);
    assert_true(wait_table_read(&table, index_of(slot), &view));
    assert_true(wait_table_goes_on(&table, index_of(slot), &view));
    begin(slot, 2000, 0);
    assert_false(wait_table_goes_on(&table, index_of(slot), &view));
    begin(slot, 1000, 0);
    wait_table_release(slot);
    assert_false(wait_table_goes_on(&table, index_of(slot), &view));
}

static void every_slot_is_given_once_and_then_none(void **state)
{
    (void)state;
    bool is_given[WAIT_SLOT_COUNT] = {false};
    for (size_t i = 0; i < WAIT_SLOT_COUNT; i++) {
        struct wait_slot *slot = wait_table_claim(&table, (int32_t)i + 1);
        assert_non_null(slot);
        assert_false(is_given[index_of(slot)]);
        is_given[index_of(slot)] = true;
    }
    assert_null(wait_table_claim(&table, 9999));
}

static void a_slot_given_back_is_given_again_with_nothing_in_it(void **state)
{
    (void)state;
    struct wait_view view;
    struct wait_slot *slot = wait_table_claim(&table, 17);
    begin(slot, 1000, 0x7000);
    wait_table_release(slot);
    assert_ptr_equal(wait_table_claim(&table, 18), slot);
    assert_false(wait_table_read(&table, index_of(slot), &view));
}

static void the_first_threads_share_no_cache_line(void **state)
{
    (void)state;
    bool is_used[WAIT_SLOT_COUNT * sizeof(struct wait_slot) / 64] = {false};
    for (size_t i = 0; i < WAIT_SLOT_COUNT / 2; i++) {
        size_t line = index_of(wait_table_claim(&table, (int32_t)i + 1)) / 2;
        assert_false(is_used[line]);
        is_used[line] = true;
    }
}

#define CLAIMERS 4
#define TURNS    20000

static _Atomic int owners[WAIT_SLOT_COUNT];
static _Atomic int collisions;

static void *claim_again_and_again(void *argument)
{
    for (int i = 0; i < TURNS; i++) {
        struct wait_slot *slot = wait_table_claim(&table, (int32_t)(intptr_t)argument);
        if (slot) {
            collisions += atomic_fetch_add(&owners[index_of(slot)], 1) != 0;
            atomic_fetch_sub(&owners[index_of(slot)], 1);
            wait_table_release(slot);
        }
    }
    return NULL;
}

static void no_two_threads_have_the_same_slot_at_once(void **state)
{
    (void)state;
    pthread_t threads[CLAIMERS];
    for (intptr_t i = 0; i < CLAIMERS; i++) {
        assert_int_equal(pthread_create(&threads[i], NULL, claim_again_and_again, (void *)(i + 1)),
                         0);
    }
    for (int i = 0; i < CLAIMERS; i++) {
        pthread_join(threads[i], NULL);
    }
    assert_int_equal(collisions, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(a_thread_that_waits_is_seen_and_one_that_does_not_is_not, start),
        cmocka_unit_test_setup(a_wait_goes_on_until_it_ends_or_another_begins, start),
        cmocka_unit_test_setup(every_slot_is_given_once_and_then_none, start),
        cmocka_unit_test_setup(a_slot_given_back_is_given_again_with_nothing_in_it, start),
        cmocka_unit_test_setup(the_first_threads_share_no_cache_line, start),
        cmocka_unit_test_setup(no_two_threads_have_the_same_slot_at_once, start),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
