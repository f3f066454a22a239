// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <string.h>

#include "agent/byte_sampler.h"
#include "unit.h"

#define MEAN 16384u

static struct byte_sampler sampler;

static int begin(void **state)
{
    (void)state;
    memset(&sampler, 0, sizeof sampler);
    return 0;
}

static uint64_t allocate(size_t size, size_t added, uint32_t mean)
{
    return byte_sampler_passes(&sampler, size, added)
               ? 0
               : byte_sampler_draw(&sampler, size, added, mean).weight;
}

// One point in each stretch: over any run of blocks the sum is off by less than two stretches.
static void the_bytes_of_a_size_are_right_within_two_stretches(void **state)
{
    (void)state;
    const size_t sizes[] = {16, 32, 64, 496, 512, 528, 4096, 16383};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        double sum = 0;
        double truth = 0;
        for (int n = 0; n < 100000; n++) {
            sum += (double)allocate(sizes[i], sizes[i], MEAN);
            truth += (double)sizes[i];
            assert_true(fabs(sum - truth) < 2.0 * MEAN);
        }
    }
}

// All sizes above 512 share a stream, which is right as a whole and for each of them: of n points,
// each hits a block of the size asked for with probability p, so the count is within 6 standard
// deviations of np (less than one run in 500 million is not).
static void sizes_that_share_a_stream_get_their_shares(void **state)
{
    (void)state;
    double sums[2] = {0};
    for (int n = 0; n < 400000; n++) {
        sums[0] += (double)allocate(1008, 1008, MEAN);
        sums[1] += (double)allocate(3024, 3024, MEAN);
    }
    double total = 400000.0 * 4032;
    double points = total / MEAN;
    double bound = 6 * sqrt(points * 0.25 * 0.75) * MEAN + 2 * MEAN;
    assert_true(fabs(sums[0] - total / 4) < bound);
    assert_true(fabs(sums[1] - total * 3 / 4) < bound);
}

// In lock-step with the mean: the point is anywhere in its stretch, so each of 16 blocks is hit as
// often as the others.
static void a_loop_in_step_with_the_mean_has_no_favourite(void **state)
{
    (void)state;
    const int rounds = 100000;
    int hits[16] = {0};
    for (int n = 0; n < rounds; n++) {
        for (int i = 0; i < 16; i++) {
            hits[i] += allocate(1024, 1024, 16384) != 0;
        }
    }
    for (int i = 0; i < 16; i++) {
        assert_true(fabs(hits[i] - rounds / 16.0) < 6 * sqrt(rounds / 16.0 * 15 / 16));
    }
}

static void what_is_as_large_as_a_stretch_is_taken_as_it_is(void **state)
{
    (void)state;
    for (int n = 0; n < 1000; n++) {
        assert_int_equal(allocate(MEAN, MEAN, MEAN), MEAN);
        assert_int_equal(allocate(5u << 20, 5u << 20, MEAN), 5u << 20);
        allocate(1000, 1000, MEAN);
    }
}

static void growth_counts_only_what_was_added(void **state)
{
    (void)state;
    double sum = 0;
    for (int n = 0; n < 100000; n++) {
        sum += (double)allocate(8000, 80, MEAN);
    }
    assert_true(fabs(sum - 100000.0 * 80) < 2.0 * MEAN);
    struct byte_draw draw = byte_sampler_draw(&sampler, 100000, 80, MEAN);
    assert_true(draw.is_exact);
    assert_int_equal(draw.weight, 80);
}

static void large_blocks_that_grow_by_little_are_hit_by_points(void **state)
{
    (void)state;
    double sum = 0;
    double truth = 0;
    for (int n = 0; n < 100000; n++) {
        struct byte_draw draw = byte_sampler_draw_growth(&sampler, 80, MEAN);
        assert_false(draw.is_exact);
        sum += (double)draw.weight;
        truth += 80;
        assert_true(fabs(sum - truth) < 2.0 * MEAN);
    }
    assert_true(byte_sampler_draw_growth(&sampler, MEAN, MEAN).is_exact);
}

// Each point stands for the stretch it was drawn in: a change of the mean biases nothing.
static void the_mean_may_change_at_any_time(void **state)
{
    (void)state;
    double sum = 0;
    double truth = 0;
    for (int n = 0; n < 1000000; n++) {
        uint32_t mean = MEAN << (n / 777 % 5);
        sum += (double)allocate(48, 48, mean);
        truth += 48;
        assert_true(fabs(sum - truth) < 2.0 * (MEAN << 4));
    }
}

static void blocks_of_one_size_can_be_counted_instead(void **state)
{
    (void)state;
    for (unsigned class = 1; class <= 32; class ++) {
        double sum = 0;
        double truth = 0;
        for (int n = 0; n < 100000; n++) {
            if (!byte_sampler_passes_block(&sampler, class)) {
                sum += (double)byte_sampler_draw_block(&sampler, class, MEAN).weight;
            }
            truth += class * 16;
            assert_true(fabs(sum - truth) < 2.0 * MEAN);
        }
    }
}

static void a_mean_below_the_size_takes_every_block(void **state)
{
    (void)state;
    for (int n = 0; n < 100; n++) {
        assert_false(byte_sampler_passes_block(&sampler, 4));
        assert_int_equal(byte_sampler_draw_block(&sampler, 4, 1).weight, 64);
        assert_int_equal(allocate(128, 128, 1), 128);
    }
}

static void a_resting_thread_asks_again_later(void **state)
{
    (void)state;
    assert_false(byte_sampler_passes(&sampler, 32, 32));
    byte_sampler_rest(&sampler, 32, 320);
    for (int n = 0; n < 9; n++) {
        assert_true(byte_sampler_passes(&sampler, 32, 32));
    }
    assert_false(byte_sampler_passes(&sampler, 32, 32));
    assert_true(byte_sampler_draw(&sampler, 32, 32, MEAN).weight % MEAN == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(the_bytes_of_a_size_are_right_within_two_stretches, begin),
        cmocka_unit_test_setup(sizes_that_share_a_stream_get_their_shares, begin),
        cmocka_unit_test_setup(a_loop_in_step_with_the_mean_has_no_favourite, begin),
        cmocka_unit_test_setup(what_is_as_large_as_a_stretch_is_taken_as_it_is, begin),
        cmocka_unit_test_setup(growth_counts_only_what_was_added, begin),
        cmocka_unit_test_setup(large_blocks_that_grow_by_little_are_hit_by_points, begin),
        cmocka_unit_test_setup(the_mean_may_change_at_any_time, begin),
        cmocka_unit_test_setup(blocks_of_one_size_can_be_counted_instead, begin),
        cmocka_unit_test_setup(a_mean_below_the_size_takes_every_block, begin),
        cmocka_unit_test_setup(a_resting_thread_asks_again_later, begin),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
