// SPDX-License-Identifier: Apache-2.0
#include "accel/engine_time.h"
#include "unit.h"

#define CLIENTS_IN_ALL 40000
#define STEP_S         0.1

static double look(struct engine_time *time, uint64_t id, double worked_s, double now_s)
{
    struct fdinfo_client client = {
        .device = "0000:00:02.0",
        .client_id = id,
        .has_client_id = true,
        .engines = {{.key = 1, .busy = (uint64_t)(worked_s * 1e9), .capacity = 1}},
        .engine_count = 1};
    double busy = engine_time_busy(time, 7, &client, now_s);
    engine_time_keep(time, now_s, now_s);
    return busy;
}

static void a_client_is_compared_with_itself(void **state)
{
    (void)state;
    struct engine_time time = {0};
    assert_true(look(&time, 1, 0, 1) < 0); // nothing to compare with
    assert_float_equal(look(&time, 1, STEP_S / 2, 1 + STEP_S), 0.5, 1e-6);
    engine_time_clear(&time);
}

static void after_very_many_clients_the_next_is_measured_all_the_same(void **state)
{
    (void)state;
    struct engine_time time = {0};
    double now_s = 1;
    for (uint64_t id = 1; id <= CLIENTS_IN_ALL; id++) {
        look(&time, id, 0, now_s);
        double busy = look(&time, id, STEP_S / 2, now_s + STEP_S);
        assert_float_equal(busy, 0.5, 1e-3);
        now_s += 2 * STEP_S;
    }
    engine_time_clear(&time);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_client_is_compared_with_itself),
        cmocka_unit_test(after_very_many_clients_the_next_is_measured_all_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
