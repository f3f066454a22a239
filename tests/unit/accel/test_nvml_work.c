// SPDX-License-Identifier: Apache-2.0
#include "accel/nvml_work.h"
#include "unit.h"

static void work_is_divided_by_what_each_did(void **state)
{
    (void)state;
    struct nvml_work work = {.seen_us = 100};
    const struct nvml_process_rate list[] = {{.pid = 1, .time_us = 101, .sm_percent = 30},
                                             {.pid = 2, .time_us = 102, .sm_percent = 10},
                                             {.pid = 1, .time_us = 103, .sm_percent = 40}};
    nvml_work_take(&work, list, 3);
    assert_float_equal(nvml_work_part(&work, 1), 7.0 / 8, 1e-9);
    assert_float_equal(nvml_work_part(&work, 2), 1.0 / 8, 1e-9);
    assert_float_equal(nvml_work_part(&work, 3), 0, 1e-9);
    assert_int_equal(work.seen_us, 103);
}

static void what_was_seen_or_cannot_be_is_left_out(void **state)
{
    (void)state;
    struct nvml_work work = {.seen_us = 100};
    const struct nvml_process_rate list[] = {{.pid = 1, .time_us = 100, .sm_percent = 90},
                                             {.pid = 2, .time_us = 101, .sm_percent = 5},
                                             {.pid = 3, .time_us = 101, .sm_percent = 101}};
    nvml_work_take(&work, list, 3);
    assert_float_equal(nvml_work_part(&work, 2), 1, 1e-9);
    assert_int_equal(work.count, 1);
}

static void who_was_busy_last_stays_the_one(void **state)
{
    (void)state;
    struct nvml_work work = {.seen_us = 100};
    const struct nvml_process_rate busy = {.pid = 1, .time_us = 101, .sm_percent = 30};
    const struct nvml_process_rate idle = {.pid = 2, .time_us = 102, .sm_percent = 0};
    nvml_work_take(&work, &busy, 1);
    nvml_work_take(&work, &idle, 1);
    assert_float_equal(nvml_work_part(&work, 1), 1, 1e-9);
    assert_int_equal(work.seen_us, 102);
}

static int older_status;

static int older(nvml_device device, struct nvml_process_rate *list, unsigned *count,
                 uint64_t since_us)
{
    (void)device;
    *count = 1;
    list[0] = (struct nvml_process_rate){.pid = 5, .time_us = since_us + 1, .sm_percent = 50};
    return older_status;
}

static int newer(nvml_device device, struct nvml_process_rates_v1 *rates)
{
    (void)device;
    assert_int_equal(rates->version, NVML_PROCESS_RATES_VERSION);
    rates->count = 1;
    rates->list[0] =
        (struct nvml_process_rate_v1){.pid = 6, .time_us = rates->since_us + 1, .sm_percent = 50};
    return NVML_OK;
}

static void the_newer_function_serves_where_the_older_does_not(void **state)
{
    (void)state;
    struct nvml_api api = {.process_rates = older, .process_rates_v1 = newer};
    struct nvml_work work = {0};
    nvml_work_read(&work, &api, NULL);
    assert_float_equal(nvml_work_part(&work, 5), 1, 1e-9);
    older_status = NVML_NOT_SUPPORTED;
    nvml_work_read(&work, &api, NULL);
    assert_float_equal(nvml_work_part(&work, 6), 1, 1e-9);
    assert_false(work.is_missing);
    nvml_work_read(&work, &(struct nvml_api){.process_rates = older}, NULL);
    assert_true(work.is_missing);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(work_is_divided_by_what_each_did),
        cmocka_unit_test(what_was_seen_or_cannot_be_is_left_out),
        cmocka_unit_test(who_was_busy_last_stays_the_one),
        cmocka_unit_test(the_newer_function_serves_where_the_older_does_not),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
