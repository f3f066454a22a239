// SPDX-License-Identifier: Apache-2.0
#include <stdint.h>

#include "cli/nearest.h"
#include "unit.h"

static void distance_counts_edits_and_swaps(void **state)
{
    (void)state;
    assert_int_equal(nearest_distance("", ""), 0);
    assert_int_equal(nearest_distance("run", "run"), 0);
    assert_int_equal(nearest_distance("rnu", "run"), 1);
    assert_int_equal(nearest_distance("ru", "run"), 1);
    assert_int_equal(nearest_distance("runn", "run"), 1);
    assert_int_equal(nearest_distance("", "run"), 3);
    assert_int_equal(nearest_distance("view", "run"), 4);
}

static void a_far_word_is_not_proposed(void **state)
{
    (void)state;
    size_t best = SIZE_MAX;
    assert_false(nearest_improves("outfile", "memory", &best));
    assert_true(nearest_improves("outfiel", "outfile", &best));
    assert_false(nearest_improves("outfiel", "outfile", &best)); // no better than the best
}

static void endless_words_are_cut(void **state)
{
    (void)state;
    char word[4096];
    for (size_t i = 0; i < sizeof word - 1; i++) {
        word[i] = 'x';
    }
    word[sizeof word - 1] = '\0';
    assert_int_equal(nearest_distance(word, "run"), 48);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(distance_counts_edits_and_swaps),
        cmocka_unit_test(a_far_word_is_not_proposed),
        cmocka_unit_test(endless_words_are_cut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
