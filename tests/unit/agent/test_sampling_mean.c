// SPDX-License-Identifier: Apache-2.0
// The mean, as programs that allocate at one rate or another would move it. The file is part of
// this one, so that clocks can be made up and every test starts afresh.
#include <string.h>

#include "agent/clock.h"
#include "unit.h"

static uint64_t wall_clock;
static uint64_t cpu_clock;
static unsigned fill_percent;

#define clock_wall_ns()        wall_clock
#define clock_process_cpu_ns() cpu_clock
#include "agent/sampling_mean.c"

#define KB     1024.0
#define MB     (1024 * KB)
#define GB     (1024 * MB)
#define SECOND 1000000000.0

static char fresh[sizeof state];

unsigned ring_fill_percent(const struct ring *ring)
{
    (void)ring;
    return fill_percent;
}

static int keep_fresh(void **unused)
{
    (void)unused;
    memcpy(fresh, &state, sizeof state);
    return 0;
}

static int begin(void **unused)
{
    (void)unused;
    memcpy(&state, fresh, sizeof state);
    wall_clock = cpu_clock = 5000000000;
    fill_percent = 0;
    sampling_mean_start(0);
    return 0;
}

// Samples a second of CPU time of a program that computes this part of the time, and allocates so
// many bytes each second that it computes.
static double allocate_at(double bytes_per_s, double seconds, double part)
{
    static const struct ring ring;
    double count = 0;
    double end = (double)cpu_clock + seconds * SECOND;
    for (; (double)cpu_clock < end; count++) {
        double step_ns = sampling_mean() / bytes_per_s * SECOND;
        cpu_clock += (uint64_t)step_ns;
        wall_clock += (uint64_t)(step_ns / part);
        sampling_mean_count(&ring);
    }
    return count / seconds;
}

static double allocate(double bytes_per_s, double seconds)
{
    return allocate_at(bytes_per_s, seconds, 1);
}

static void a_burst_is_seen_as_well_as_can_be(void **unused)
{
    (void)unused;
    allocate(3 * GB, 0.01);
    assert_int_equal(sampling_mean(), MEAN_FLOOR);
}

static void a_rate_that_lasts_is_followed_no_further_than_it_must(void **unused)
{
    (void)unused;
    allocate(100 * MB, 2);
    double rate = allocate(100 * MB, 5);
    assert_true(rate <= RATE_MAX);
    assert_true(2 * rate > RATE_MAX);
}

static void what_comes_after_it_is_seen_well_again(void **unused)
{
    (void)unused;
    allocate(100 * MB, 5);
    assert_true(sampling_mean() > MEAN_FLOOR);
    allocate(1 * MB, 1.5);
    assert_int_equal(sampling_mean(), MEAN_FLOOR);
    allocate(3 * GB, 0.01); // with its credit
    assert_int_equal(sampling_mean(), MEAN_FLOOR);
}

static void a_program_that_allocates_much_comes_to_the_ceiling(void **unused)
{
    (void)unused;
    double rate = (RATE_MAX + RATE_HARD) / 2.0;
    allocate(rate * MEAN_CEILING, 5);
    assert_int_equal(sampling_mean(), MEAN_CEILING);
}

static void memory_that_nobody_touches_goes_past_it(void **unused)
{
    (void)unused;
    allocate(100 * GB, 2);
    assert_true(sampling_mean() > MEAN_CEILING);
    assert_true(allocate(100 * GB, 5) <= RATE_HARD);
    allocate(10000 * GB, 5);
    assert_int_equal(sampling_mean(), MEAN_LIMIT);
}

// What a sample costs is CPU time, and the ration is of that.
static void a_program_with_half_a_core_gets_no_more(void **unused)
{
    (void)unused;
    allocate_at(100 * MB, 2, 0.5);
    assert_true(allocate_at(100 * MB, 5, 0.5) <= RATE_MAX);
}

static void one_that_mostly_waits_is_seen_well(void **unused)
{
    (void)unused;
    double part = 0.05;
    double bytes_per_s = 100 * MB / part;
    allocate_at(bytes_per_s, 2 * part, part);
    double rate = part * allocate_at(bytes_per_s, 5 * part, part);
    assert_true(rate <= RATE_MAX / (double)IDLE_SHARE);
    assert_true(2 * rate > RATE_MAX / (double)IDLE_SHARE);
}

static void a_ring_that_is_half_full_slows_the_samples_down(void **unused)
{
    (void)unused;
    fill_percent = 51;
    allocate(1 * MB, 0.2); // slow enough otherwise
    uint32_t first = sampling_mean();
    assert_true(first > MEAN_FLOOR);
    allocate(20 * MB, 1000);
    assert_true(sampling_mean() > MEAN_CEILING);
    fill_percent = 10;
    allocate(1 * MB, 100);
    assert_int_equal(sampling_mean(), MEAN_FLOOR);
}

static void a_mean_that_was_asked_for_stays(void **unused)
{
    (void)unused;
    sampling_mean_start(100000);
    assert_int_equal(sampling_mean(), 100000);
    fill_percent = 100;
    allocate(10 * GB, 1);
    sampling_mean_raise(1 << 20);
    assert_int_equal(sampling_mean(), 100000);
    sampling_mean_start(UINT64_MAX);
    assert_int_equal(sampling_mean(), BYTE_SAMPLER_MEAN_MAX);
}

static void a_raised_mean_does_not_come_down_again(void **unused)
{
    (void)unused;
    sampling_mean_raise(MEAN_FLOOR / 2); // is above that
    assert_int_equal(sampling_mean(), MEAN_FLOOR);
    sampling_mean_raise(128 * 1024);
    assert_int_equal(sampling_mean(), 128 * 1024);
    sampling_mean_raise(64 * 1024);
    allocate(1 * MB, 20);
    assert_int_equal(sampling_mean(), 128 * 1024);
    sampling_mean_raise(UINT64_MAX);
    assert_int_equal(sampling_mean(), MEAN_LIMIT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(a_burst_is_seen_as_well_as_can_be, begin),
        cmocka_unit_test_setup(a_rate_that_lasts_is_followed_no_further_than_it_must, begin),
        cmocka_unit_test_setup(what_comes_after_it_is_seen_well_again, begin),
        cmocka_unit_test_setup(a_program_that_allocates_much_comes_to_the_ceiling, begin),
        cmocka_unit_test_setup(memory_that_nobody_touches_goes_past_it, begin),
        cmocka_unit_test_setup(a_program_with_half_a_core_gets_no_more, begin),
        cmocka_unit_test_setup(one_that_mostly_waits_is_seen_well, begin),
        cmocka_unit_test_setup(a_ring_that_is_half_full_slows_the_samples_down, begin),
        cmocka_unit_test_setup(a_mean_that_was_asked_for_stays, begin),
        cmocka_unit_test_setup(a_raised_mean_does_not_come_down_again, begin),
    };
    return cmocka_run_group_tests(tests, keep_fresh, NULL);
}
