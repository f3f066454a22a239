// SPDX-License-Identifier: Apache-2.0
#include "collect/gpu_credit.h"
#include "profile/profile.h"
#include "unit.h"

#define PROCESSES_IN_ALL 5000

static void read_busy(struct gpu_credit *credit, int pid, double begin_s)
{
    gpu_credit_read(credit, pid,
                    &(struct gpu_point){.begin_s = begin_s, .end_s = begin_s + 1, .busy = 0.5});
}

static double busy_s_of_lines(struct tally *tally)
{
    struct profile *profile = profile_new();
    tally_fill(tally, profile);
    double sum = 0;
    for (size_t i = 0; i < profile->file_count; i++) {
        for (size_t k = 0; k < profile->files[i].line_count; k++) {
            sum += profile->files[i].lines[k].gpu.busy_s;
        }
    }
    profile_free(profile);
    return sum;
}

static void processes_that_have_ended_leave_nothing_behind(void **state)
{
    (void)state;
    struct gpu_credit credit = {0};
    struct tally *tally = tally_new(0.01);
    uint32_t pool = tally_pool(tally, "python", 0);
    uint32_t spot = tally_spot(
        tally, pool,
        &(struct tally_place){
            .code_key = 1, .path = "/p.py", .function = "f", .line = 2, .first_line = 1});
    for (int pid = 1; pid <= PROCESSES_IN_ALL; pid++) {
        read_busy(&credit, pid, pid);
        gpu_credit_add(&credit, tally,
                       &(struct gpu_stretch){pid, spot, pid + 0.5, pid + 1.5}); // waits for more
        gpu_credit_end(&credit, tally, pid);
        gpu_credit_add(&credit, tally, &(struct gpu_stretch){pid, spot, pid, pid + 1}); // too late
    }
    assert_int_equal(credit.count, 1); // one place served all of them
    assert_int_equal(credit.waiting_count, 0);
    assert_null(credit.processes[0].curve.points);
    assert_float_equal(busy_s_of_lines(tally), 0.25 * PROCESSES_IN_ALL, 1e-6);
    gpu_credit_clear(&credit);
    tally_free(tally);
}

static void those_that_run_at_once_are_kept_apart(void **state)
{
    (void)state;
    struct gpu_credit credit = {0};
    read_busy(&credit, 7, 1);
    read_busy(&credit, 8, 1);
    read_busy(&credit, 8, 2);
    read_busy(&credit, 0, 2); // nobody's
    assert_int_equal(credit.count, 2);
    assert_int_equal(credit.processes[0].curve.count, 1);
    assert_int_equal(credit.processes[1].curve.count, 2);
    gpu_credit_clear(&credit);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(processes_that_have_ended_leave_nothing_behind),
        cmocka_unit_test(those_that_run_at_once_are_kept_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
