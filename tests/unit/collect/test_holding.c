// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stdlib.h>

#include "collect/holding.h"
#include "unit.h"

#define MB 1048576.0

static void hold(struct holding *holding, double time_s, uint64_t peak_number, double mb)
{
    holding_change(holding, time_s, peak_number, (struct holding_sum){mb * MB, mb * mb});
}

static void it_knows_now_most_and_what_was_there_at_a_peak(void **state)
{
    (void)state;
    struct holding holding = {0};
    hold(&holding, 1, 0, 10);
    hold(&holding, 2, 0, 20);
    hold(&holding, 3, 1, -25); // the first peak was between 2 and 3
    hold(&holding, 4, 1, 1);
    assert_true(holding.now.bytes == 6 * MB);
    assert_true(holding.most_bytes == 30 * MB);
    assert_true(holding_at_peak(&holding, 1).bytes == 30 * MB);
    assert_true(holding_at_peak(&holding, 1).square == 500);
    assert_true(holding_at_peak(&holding, 2).bytes == 6 * MB); // nothing has changed since
    holding_clear(&holding);
}

static void its_average_is_over_the_time_that_it_held_anything(void **state)
{
    (void)state;
    struct holding holding = {0};
    hold(&holding, 10, 0, 4);
    hold(&holding, 12, 0, 4);
    hold(&holding, 14, 0, -8);
    assert_true(fabs(holding_average(&holding, 100) - 6 * MB) < 1);
    hold(&holding, 50, 0, 2);
    assert_true(fabs(holding_average(&holding, 54) - (24 + 8) / 8.0 * MB) < 1);
    holding_clear(&holding);
}

static void a_series_keeps_peaks_and_plateaus_in_few_points(void **state)
{
    (void)state;
    struct holding holding = {0};
    for (int i = 0; i < 5000; i++) {
        hold(&holding, i, 0, i == 2718 ? 1000 : 1);
        hold(&holding, i + 0.5, 0, i == 2718 ? -1000 : -1);
    }
    hold(&holding, 6000, 0, 7);
    size_t count;
    struct profile_point *points = series_points(&holding.series, 9000, &count);
    assert_true(count > 50 && count <= PROFILE_MEMORY_POINT_MAX);
    double most = 0;
    for (size_t i = 0; i < count; i++) {
        most = points[i].mb > most ? points[i].mb : most;
        assert_true(i == 0 || points[i].t_s >= points[i - 1].t_s);
    }
    assert_true(most == 1000);
    assert_true(points[0].t_s == 0);
    assert_true(points[count - 1].t_s == 9000 && points[count - 1].mb == 7);
    free(points);
    holding_clear(&holding);
}

static void a_plateau_ends_where_it_ends(void **state)
{
    (void)state;
    struct holding holding = {0};
    hold(&holding, 1, 0, 100);
    hold(&holding, 50, 0, -100);
    size_t count;
    struct profile_point *points = series_points(&holding.series, 60, &count);
    const struct profile_point expected[] = {{1, 100}, {50, 100}, {50, 0}, {60, 0}};
    assert_int_equal(count, 4);
    for (size_t i = 0; i < count; i++) {
        assert_true(points[i].t_s == expected[i].t_s && points[i].mb == expected[i].mb);
    }
    free(points);
    holding_clear(&holding);
}

static void times_that_go_back_change_no_order(void **state)
{
    (void)state;
    struct holding holding = {0};
    hold(&holding, 5, 0, 3);
    hold(&holding, 4, 0, 3); // of another process, read later
    assert_true(holding_average(&holding, 6) == 6 * MB);
    size_t count;
    struct profile_point *points = series_points(&holding.series, 6, &count);
    for (size_t i = 1; i < count; i++) {
        assert_true(points[i].t_s >= points[i - 1].t_s);
    }
    free(points);
    holding_clear(&holding);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_knows_now_most_and_what_was_there_at_a_peak),
        cmocka_unit_test(its_average_is_over_the_time_that_it_held_anything),
        cmocka_unit_test(a_series_keeps_peaks_and_plateaus_in_few_points),
        cmocka_unit_test(a_plateau_ends_where_it_ends),
        cmocka_unit_test(times_that_go_back_change_no_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
