// SPDX-License-Identifier: Apache-2.0
#include <math.h>

#include "accel/engine_time.h"
#include "accel/fdinfo.h"
#include "unit.h"

static bool is_near(double value, double expected)
{
    return fabs(value - expected) < 1e-9;
}

static void a_client_of_i915_has_times_and_memory(void **state)
{
    (void)state;
    struct fdinfo_client client;
    assert_true(
        fdinfo_parse("pos:\t0\nflags:\t02100002\ndrm-driver:\ti915\ndrm-pdev:\t0000:00:02.0\n"
                     "drm-client-id:\t7\ndrm-engine-render:\t9288864723 ns\n"
                     "drm-engine-copy:\t2035071108 ns\ndrm-engine-video:\t0 ns\n"
                     "drm-engine-capacity-video:\t2\ndrm-resident-system0:\t2048 KiB\n"
                     "drm-total-system0:\t9999 KiB\ndrm-resident-local0:\t3 MiB\n",
                     &client));
    assert_string_equal(client.driver, "i915");
    assert_string_equal(client.device, "0000:00:02.0");
    assert_true(client.has_client_id && client.client_id == 7);
    assert_int_equal(client.engine_count, 3);
    assert_true(client.engines[0].busy == 9288864723u && client.engines[2].capacity == 2);
    assert_true(is_near(client.memory.system_mb, 2) && is_near(client.memory.device_mb, 3));
}

static void what_is_told_twice_counts_once(void **state)
{
    (void)state;
    struct fdinfo_client client;
    assert_true(fdinfo_parse("drm-driver:\tpanfrost\ndrm-engine-fragment:\t1846584880 ns\n"
                             "drm-cycles-fragment:\t1424359409\n"
                             "drm-maxfreq-fragment:\t799999987 Hz\n"
                             "drm-memory-vram:\t5120 KiB\ndrm-resident-vram:\t5120 KiB\n",
                             &client));
    assert_int_equal(client.engine_count, 1);
    assert_true(client.engines[0].busy == 1846584880u && client.engines[0].total_cycles == 0);
    assert_true(is_near(client.memory.device_mb, 5));
    assert_true(fdinfo_parse("drm-driver:\tamdgpu\ndrm-memory-vram:\t7 MiB\n", &client));
    assert_true(is_near(client.memory.device_mb, 7)); // before there was "resident"
}

static void cycles_without_a_total_are_of_the_highest_frequency(void **state)
{
    (void)state;
    struct fdinfo_client client;
    assert_true(fdinfo_parse("drm-driver:\tx\ndrm-cycles-gpu:\t3000\ndrm-maxfreq-gpu:\t500 MHz\n",
                             &client));
    assert_true(client.engines[0].busy == 6000 && client.engines[0].total_cycles == 0);
    assert_true(fdinfo_parse("drm-driver:\txe\ndrm-cycles-rcs:\t28257900\n"
                             "drm-total-cycles-rcs:\t7655183225\n",
                             &client));
    assert_true(client.engines[0].busy == 28257900 &&
                client.engines[0].total_cycles == 7655183225u);
}

static void a_file_of_something_else_is_none(void **state)
{
    (void)state;
    struct fdinfo_client client;
    assert_false(fdinfo_parse("pos:\t0\nflags:\t02\nmnt_id:\t15\n", &client));
    assert_false(fdinfo_parse("", &client));
    assert_false(fdinfo_parse("drm-driver:", &client));
    assert_true(
        fdinfo_parse("drm-driver: x\ndrm-engine-: 5 ns\ndrm-: 1\ndrm-resident-: 1", &client));
}

static struct fdinfo_client client_of(uint64_t busy, uint64_t total_cycles, unsigned capacity)
{
    return (struct fdinfo_client){
        .driver = "x",
        .client_id = 1,
        .has_client_id = true,
        .engines = {{.key = 5, .busy = busy, .total_cycles = total_cycles, .capacity = capacity}},
        .engine_count = 1,
    };
}

static double busy_then(struct engine_time *time, struct fdinfo_client client, double now_s)
{
    double busy = engine_time_busy(time, 1, &client, now_s);
    assert_true(engine_time_keep(time, now_s, now_s));
    return busy;
}

static void busy_is_the_difference_of_two_looks(void **state)
{
    (void)state;
    struct engine_time time = {0};
    assert_true(busy_then(&time, client_of(1000000000, 0, 1), 10) < 0);
    assert_true(is_near(busy_then(&time, client_of(1250000000, 0, 1), 10.5), 0.5));
    assert_true(is_near(busy_then(&time, client_of(1200000000, 0, 1), 11), 0)); // a step back
    assert_true(is_near(busy_then(&time, client_of(1350000000, 0, 1), 11.5), 0.2));
    assert_true(is_near(busy_then(&time, client_of(1850000000, 0, 2), 12), 0.5));
    assert_true(
        is_near(busy_then(&time, client_of(9850000000, 0, 1), 12.5), 1)); // no more than all
    engine_time_clear(&time);
}

static void cycles_are_a_part_of_all_cycles(void **state)
{
    (void)state;
    struct engine_time time = {0};
    assert_true(busy_then(&time, client_of(100, 1000, 1), 10) < 0);
    assert_true(is_near(busy_then(&time, client_of(400, 2000, 1), 99), 0.3));
    assert_true(is_near(busy_then(&time, client_of(500, 2000, 1), 100), 0));
    engine_time_clear(&time);
}

// What took 1 ms of 0.1 s, and the next as long, is unsure by 2 parts in 100; more is not told.
static void a_look_that_took_long_is_not_compared(void **state)
{
    (void)state;
    struct engine_time time = {0};
    struct fdinfo_client first = client_of(0, 0, 1);
    struct fdinfo_client second = client_of(100000000, 0, 1);
    struct fdinfo_client third = client_of(150000000, 0, 1);
    engine_time_busy(&time, 1, &first, 10);
    assert_true(engine_time_keep(&time, 10, 10.001));
    engine_time_busy(&time, 1, &second, 10.1);
    assert_false(engine_time_keep(&time, 10.1, 10.102));
    // As if the second had never been: 0.15 s of 0.3.
    assert_true(is_near(engine_time_busy(&time, 1, &third, 10.3), 0.5));
    assert_true(engine_time_keep(&time, 10.3, 10.304));
    engine_time_clear(&time);
}

// One that takes half a second where the next take a millisecond.
static void a_slow_first_look_is_begun_anew(void **state)
{
    (void)state;
    struct engine_time time = {0};
    struct fdinfo_client first = client_of(0, 0, 1);
    struct fdinfo_client second = client_of(600000000, 0, 1);
    struct fdinfo_client third = client_of(650000000, 0, 1);
    engine_time_busy(&time, 1, &first, 10);
    assert_true(engine_time_keep(&time, 10, 10.5));
    engine_time_busy(&time, 1, &second, 10.6);
    assert_false(engine_time_keep(&time, 10.6, 10.601));
    assert_true(is_near(engine_time_busy(&time, 1, &third, 10.7), 0.5));
    assert_true(engine_time_keep(&time, 10.7, 10.7005));
    engine_time_clear(&time);
}

static void a_client_of_two_processes_is_counted_once(void **state)
{
    (void)state;
    struct engine_time time = {0};
    struct fdinfo_client client = client_of(400000000, 0, 1);
    busy_then(&time, client_of(0, 0, 1), 10);
    assert_true(is_near(engine_time_busy(&time, 1, &client, 11), 0.4));
    assert_true(is_near(engine_time_busy(&time, 2, &client, 11), 0));
    engine_time_clear(&time);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_client_of_i915_has_times_and_memory),
        cmocka_unit_test(what_is_told_twice_counts_once),
        cmocka_unit_test(cycles_without_a_total_are_of_the_highest_frequency),
        cmocka_unit_test(a_file_of_something_else_is_none),
        cmocka_unit_test(busy_is_the_difference_of_two_looks),
        cmocka_unit_test(cycles_are_a_part_of_all_cycles),
        cmocka_unit_test(a_look_that_took_long_is_not_compared),
        cmocka_unit_test(a_slow_first_look_is_begun_anew),
        cmocka_unit_test(a_client_of_two_processes_is_counted_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
