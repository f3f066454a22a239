// SPDX-License-Identifier: Apache-2.0
#include <math.h>

#include "collect/gpu_curve.h"
#include "unit.h"

static bool is_near(double value, double expected)
{
    return fabs(value - expected) < 1e-6;
}

static void a_stretch_has_its_part_of_the_readings(void **state)
{
    (void)state;
    struct gpu_curve curve = {0};
    gpu_curve_add(&curve, 1, 2, 0.5, 100);
    gpu_curve_add(&curve, 2, 3, 1, 300);
    gpu_curve_add(&curve, 5, 6, 0.25, 200); // a gap before it
    struct profile_gpu all = gpu_curve_between(&curve, 0, 100);
    assert_true(is_near(all.seen_s, 3) && is_near(all.busy_s, 1.75));
    assert_true(is_near(all.memory_mb_s, 600) && is_near(all.peak_mb, 300));
    struct profile_gpu part = gpu_curve_between(&curve, 1.5, 2.5);
    assert_true(is_near(part.seen_s, 1) && is_near(part.busy_s, 0.75));
    assert_true(is_near(gpu_curve_between(&curve, 3.5, 4.5).seen_s, 0));
    assert_true(is_near(gpu_curve_between(&curve, 3.5, 4.5).peak_mb, 0));
    assert_true(is_near(gpu_curve_between(&curve, 2.75, 5.5).seen_s, 0.75));
    assert_true(is_near(gpu_curve_between(&curve, 7, 8).seen_s, 0));
    gpu_curve_clear(&curve);
}

static void what_overlaps_or_makes_no_sense_is_cut(void **state)
{
    (void)state;
    struct gpu_curve curve = {0};
    gpu_curve_add(&curve, 1, 2, 1, 0);
    gpu_curve_add(&curve, 1.5, 2.5, 1, 0);
    gpu_curve_add(&curve, 1, 2, 1, 0);
    gpu_curve_add(&curve, 4, 3, 1, 0);
    gpu_curve_add(&curve, 3, 4, NAN, 0);
    assert_int_equal(curve.count, 2);
    assert_true(is_near(gpu_curve_between(&curve, 0, 9).seen_s, 1.5));
    gpu_curve_clear(&curve);
}

static void of_very_many_readings_the_sums_stay(void **state)
{
    (void)state;
    struct gpu_curve curve = {0};
    for (int i = 0; i < 300000; i++) {
        gpu_curve_add(&curve, i, i + 1, i % 2, i == 1000 ? 77 : 1);
    }
    assert_true(curve.count <= 4096);
    struct profile_gpu all = gpu_curve_between(&curve, 0, 300000);
    assert_true(is_near(all.seen_s, 300000) && is_near(all.busy_s, 150000));
    assert_true(is_near(all.peak_mb, 77));
    gpu_curve_clear(&curve);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_stretch_has_its_part_of_the_readings),
        cmocka_unit_test(what_overlaps_or_makes_no_sense_is_cut),
        cmocka_unit_test(of_very_many_readings_the_sums_stay),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
