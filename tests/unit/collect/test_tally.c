// SPDX-License-Identifier: Apache-2.0
// Whose time a line's helpers are: the line's one long operation, or the interpreter's.
#include "collect/tally.h"
#include "unit.h"

#define PERIOD_S 0.01

struct line {
    struct tally *tally;
    uint32_t leaf;
};

static struct line line_new(void)
{
    struct tally *tally = tally_new(PERIOD_S);
    return (struct line){tally, tally_leaf(tally, 1, 4)};
}

static void add(struct line line, enum kind kind, int32_t instruction, bool is_freeing, int count)
{
    for (int i = 0; i < count; i++) {
        tally_add_sample(
            line.tally,
            &(struct tally_sample){
                .spot = TALLY_NONE,
                .leaf = line.leaf,
                .weight_s = PERIOD_S,
                .verdict = {.kind = kind, .instruction = instruction, .is_freeing = is_freeing},
            });
    }
}

static void assert_is_native(struct line line, bool is_native)
{
    assert_int_equal(tally_helper_native(line.tally, line.leaf), is_native);
    tally_free(line.tally);
}

static void one_instruction_is_one_operation(void **state)
{
    (void)state;
    struct line line = line_new();
    add(line, KIND_HELPER, 26, false, 50);
    assert_is_native(line, true);
}

// One sample in a thousand of a product that takes a millisecond is in the loop: two among a
// hundred say nothing against it.
static void strays_do_not_turn_it(void **state)
{
    (void)state;
    struct line line = line_new();
    add(line, KIND_HELPER, 26, false, 113);
    add(line, KIND_EVAL, 26, false, 2);
    assert_is_native(line, true);
}

static void freeing_what_it_made_is_part_of_it(void **state)
{
    (void)state;
    struct line line = line_new();
    add(line, KIND_HELPER, 26, false, 60);
    add(line, KIND_HELPER, 30, true, 40);
    assert_is_native(line, true);
}

static void a_line_that_shows_the_loop_is_interpreted(void **state)
{
    (void)state;
    struct line line = line_new();
    add(line, KIND_HELPER, 26, false, 110);
    add(line, KIND_EVAL, 26, false, 7);
    assert_is_native(line, false);
}

static void too_few_samples_decide_nothing(void **state)
{
    (void)state;
    struct line line = line_new();
    add(line, KIND_HELPER, 26, false, 45);
    assert_is_native(line, false);
}

static void many_instructions_with_the_loop_between_are_interpreted(void **state)
{
    (void)state;
    struct line line = line_new();
    add(line, KIND_EVAL, 0, false, 40);
    for (int32_t instruction = 0; instruction < 20; instruction += 2) {
        add(line, KIND_HELPER, instruction, false, 30);
    }
    assert_is_native(line, false);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_instruction_is_one_operation),
        cmocka_unit_test(strays_do_not_turn_it),
        cmocka_unit_test(freeing_what_it_made_is_part_of_it),
        cmocka_unit_test(a_line_that_shows_the_loop_is_interpreted),
        cmocka_unit_test(too_few_samples_decide_nothing),
        cmocka_unit_test(many_instructions_with_the_loop_between_are_interpreted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
