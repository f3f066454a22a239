// SPDX-License-Identifier: Apache-2.0
#include "agent/live_table.h"
#include "unit.h"

static void *address_of(unsigned number)
{
    return (void *)(0x7f0000000000u + (uintptr_t)number * 16);
}

static bool put(unsigned number)
{
    struct live_slot *slot = live_table_claim(address_of(number));
    if (slot) {
        *live_slot_block(slot) = (struct live_block){.number = number, .weight = 1};
        live_slot_publish(slot, address_of(number));
    }
    return slot != NULL;
}

static struct live_slot *take(unsigned number)
{
    return live_table_may_have(address_of(number)) ? live_table_take(address_of(number)) : NULL;
}

static int clear(void **state)
{
    (void)state;
    live_table_clear();
    return 0;
}

static void three_quarters_of_the_slots_can_be_used(void **state)
{
    (void)state;
    const unsigned count = LIVE_SLOTS / 4 * 3;
    unsigned refused = 0;
    for (unsigned i = 1; i <= count; i++) {
        refused += !put(i * 7);
    }
    assert_in_range(refused, 0, count / 1000);
    assert_int_equal(live_table_count(), count - refused);
    unsigned found = 0;
    for (unsigned i = 1; i <= count; i++) {
        struct live_slot *slot = take(i * 7);
        if (slot) {
            assert_int_equal(live_slot_block(slot)->number, i * 7);
            live_slot_release(slot);
            found++;
        }
        assert_null(take(i * 7));
    }
    assert_int_equal(found, count - refused);
    assert_int_equal(live_table_count(), 0);
}

static void the_filter_forgets_what_was_taken(void **state)
{
    (void)state;
    assert_false(live_table_may_have(address_of(5)));
    assert_true(put(5));
    assert_true(put(5 + LIVE_FILTER_SIZE)); // shares the place in the filter
    live_slot_release(take(5));
    assert_true(live_table_may_have(address_of(5)));
    assert_null(take(5));
    live_slot_release(take(5 + LIVE_FILTER_SIZE));
    assert_false(live_table_may_have(address_of(5)));
}

// The filter has one place for all multiples of 4 MB, NULL among them.
static void nothing_is_never_there(void **state)
{
    (void)state;
    const void *block = (const void *)0x7f0000000000u;
    live_slot_publish(live_table_claim(block), block);
    assert_true(live_table_may_have(NULL));
    assert_null(live_table_take(NULL));
    assert_int_equal(live_table_count(), 1);
    assert_true(live_table_may_have(block));
}

static void a_claimed_slot_is_in_nobody_s_sight(void **state)
{
    (void)state;
    struct live_slot *slot = live_table_claim(address_of(9));
    assert_non_null(slot);
    assert_null(live_table_take(address_of(9)));
    live_slot_publish(slot, address_of(9));
    assert_ptr_equal(take(9), slot);
    assert_null(take(9));
    live_slot_publish(slot, address_of(9)); // a realloc that failed
    assert_ptr_equal(take(9), slot);
}

static unsigned index_of(unsigned number)
{
    for (unsigned i = 0; i < LIVE_SLOTS; i++) {
        struct live_slot *slot = live_table_hold(i);
        if (slot) {
            bool is_it = live_slot_block(slot)->number == number;
            assert_true(live_slot_unhold(slot));
            if (is_it) {
                return i;
            }
        }
    }
    return LIVE_SLOTS;
}

static void who_frees_what_is_held_leaves_word(void **state)
{
    (void)state;
    assert_true(put(3));
    struct live_slot *slot = live_table_hold(index_of(3));
    assert_non_null(slot);
    assert_null(take(3));                 // seen, and left to the holder
    assert_true(put(3));                  // the address is used again at once
    assert_false(live_slot_unhold(slot)); // the holder learns of it
    live_slot_release(slot);
    assert_int_equal(live_table_count(), 1);
    live_slot_release(take(3));
    assert_false(live_table_may_have(address_of(3)));
}

static void what_is_held_can_be_told_from_what_is_not(void **state)
{
    (void)state;
    put(1);
    put(2);
    struct live_slot *held = NULL;
    for (unsigned i = 0; i < LIVE_SLOTS && !held; i++) {
        held = live_table_hold(i);
    }
    unsigned number = (unsigned)live_slot_block(held)->number;
    assert_true(live_table_is_held(address_of(number)));
    assert_false(live_table_is_held(address_of(3 - number)));
    assert_false(live_table_is_held(address_of(3)));
    live_slot_unhold(held);
    assert_false(live_table_is_held(address_of(number)));
}

static void what_could_not_be_told_is_found_again(void **state)
{
    (void)state;
    for (unsigned i = 1; i <= 10; i++) {
        assert_true(put(i));
        live_slot_leave_untold(take(i));
    }
    assert_true(live_table_has_untold());
    unsigned cursor = 0;
    unsigned count = 0;
    for (struct live_slot *slot = live_table_take_untold(&cursor); slot;
         slot = live_table_take_untold(&cursor)) {
        count += live_slot_block(slot)->number;
        live_slot_release(slot);
    }
    assert_int_equal(count, 55);
    assert_false(live_table_has_untold());
}

static void put_block(unsigned number, uint64_t weight, unsigned flags)
{
    struct live_slot *slot = live_table_claim(address_of(number));
    *live_slot_block(slot) =
        (struct live_block){.number = number, .weight = weight, .flags = (uint16_t)flags};
    live_slot_publish(slot, address_of(number));
}

static void a_child_inherits_large_blocks_alone(void **state)
{
    (void)state;
    put_block(1, 2 * LIVE_LARGE, LIVE_IS_EXACT | LIVE_IS_PYTHON);
    put_block(2, 2 * LIVE_LARGE, 0); // which stands for others
    put_block(3, LIVE_LARGE - 1, LIVE_IS_EXACT);
    put_block(4, LIVE_LARGE, LIVE_IS_EXACT);
    for (unsigned i = 0; i < LIVE_SLOTS; i++) { // another thread was at it when the process forked
        struct live_slot *slot = live_table_hold(i);
        if (slot && live_slot_block(slot)->number != 4) {
            live_slot_unhold(slot);
        }
    }
    live_table_inherit();
    assert_int_equal(live_table_count(), 2);
    assert_null(take(2));
    assert_null(take(3));
    assert_non_null(take(4));
    const struct live_block *block = live_slot_block(take(1));
    assert_int_equal(block->weight, 2 * LIVE_LARGE);
    assert_int_equal(block->flags, LIVE_IS_EXACT | LIVE_IS_INHERITED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(three_quarters_of_the_slots_can_be_used, clear),
        cmocka_unit_test_setup(the_filter_forgets_what_was_taken, clear),
        cmocka_unit_test_setup(nothing_is_never_there, clear),
        cmocka_unit_test_setup(a_claimed_slot_is_in_nobody_s_sight, clear),
        cmocka_unit_test_setup(who_frees_what_is_held_leaves_word, clear),
        cmocka_unit_test_setup(what_is_held_can_be_told_from_what_is_not, clear),
        cmocka_unit_test_setup(what_could_not_be_told_is_found_again, clear),
        cmocka_unit_test_setup(a_child_inherits_large_blocks_alone, clear),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
