// SPDX-License-Identifier: Apache-2.0
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "profile/percent.h"
#include "profile/profile.h"
#include "profile/reason.h"
#include "profile/record.h"
#include "unit.h"

static void an_element_is_made_once(void **state)
{
    (void)state;
    struct profile *profile = profile_new();
    profile_file(profile, "/a.py");
    profile_file(profile, "/b.py");
    struct profile_file *file = profile_file(profile, "/a.py");
    assert_int_equal(profile->file_count, 2);
    assert_string_equal(file->path, "/a.py");
    profile_line(file, 7)->times.python_s = 1;
    profile_line(file, 3)->times.python_s = 2;
    profile_line(file, 7)->times.python_s += 4;
    assert_int_equal(file->line_count, 2);
    assert_true(profile_line(file, 7)->times.python_s == 5);
    profile_function(file, "f", 1)->times.native_s = 1;
    profile_function(file, "f", 9);
    profile_function(file, "f", 1)->times.native_s += 1;
    assert_int_equal(file->function_count, 2);
    assert_true(profile_function(file, "f", 1)->times.native_s == 2);
    profile_free(profile);
}

static void many_lines_and_files_stay_apart(void **state)
{
    (void)state;
    struct profile *profile = profile_new();
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < 3000; i++) {
            char path[32];
            snprintf(path, sizeof path, "/m%d.py", i);
            profile_line(profile_file(profile, path), i)->times.python_s += 1;
        }
        struct profile_file *file = profile_file(profile, "/large.py");
        for (int i = 1; i <= 100000; i++) {
            profile_line(file, i)->times.python_s += i;
        }
    }
    assert_int_equal(profile->file_count, 3001);
    struct profile_file *file = profile_file(profile, "/large.py");
    assert_int_equal(file->line_count, 100000);
    assert_true(profile_line(file, 54321)->times.python_s == 2 * 54321);
    profile_free(profile);
}

static void notes_are_formatted_and_kept(void **state)
{
    (void)state;
    struct profile *profile = profile_new();
    for (int i = 0; i < 20; i++) {
        profile_note(profile, "note %d", i);
    }
    assert_int_equal(profile->quality.note_count, 20);
    assert_string_equal(profile->quality.notes[19], "note 19");
    profile_free(profile);
}

static void total_leaves_idle_out_in_virtual_time(void **state)
{
    (void)state;
    struct profile *profile = profile_new();
    profile->totals = (struct profile_times){.python_s = 1, .native_s = 2, .idle_s = 4};
    assert_true(profile_total_s(profile) == 7);
    profile->has_virtual_time = true;
    assert_true(profile_total_s(profile) == 3);
    profile_free(profile);
}

static void rounding_never_makes_more_than_a_hundred(void **state)
{
    (void)state;
    struct profile *profile = profile_new();
    for (int i = 1; i < 2000; i++) {
        double part = 1.0 / i;
        profile->totals = (struct profile_times){
            .python_s = part, .native_s = 2 * part / 3, .system_s = part / 7, .idle_s = part / 11};
        struct percent percent = percent_of(profile, &profile->totals);
        assert_true(percent_sum(&percent) <= 100 + 1e-9);
        assert_true(percent_sum(&percent) > 99.99999);
    }
    profile_free(profile);
}

static void times_beyond_their_total_are_limited(void **state)
{
    (void)state;
    struct profile *profile = profile_new();
    profile->totals.python_s = 1;
    struct profile_times times = {.python_s = 3, .native_s = 1, .idle_s = 9};
    struct percent percent = percent_of(profile, &times);
    assert_true(percent_sum(&percent) <= 100 + 1e-9);
    times = (struct profile_times){.python_s = -1, .native_s = 0.0 / 1.0};
    percent = percent_of(profile, &times);
    assert_true(percent_sum(&percent) == 0);
    profile->totals.python_s = 0;
    percent = percent_of(profile, &(struct profile_times){.python_s = 1});
    assert_true(percent_sum(&percent) == 0);
    profile_free(profile);
}

static void error_is_the_half_width_of_a_95_percent_interval(void **state)
{
    (void)state;
    struct profile *profile = profile_new();
    profile->totals.python_s = 10;
    struct profile_times times = {.python_s = 2, .variance_s2 = 0.04};
    struct percent percent = percent_of(profile, &times);
    assert_true(percent.error > 3.9199 && percent.error < 3.9201);
    profile_free(profile);
}

static void assert_reason(const struct profile *profile, const char *part)
{
    struct text text = {0};
    assert_true(reason_of_emptiness(profile, &text));
    if (!strstr(text.data, part)) {
        fail_msg("%s", text.data);
    }
    text_clear(&text);
}

static void an_empty_profile_says_why(void **state)
{
    (void)state;
    struct profile *profile = profile_new();
    profile->quality.interval_asked_s = 0.01;
    profile->cpu_kernel_says_s = 0.003;
    assert_reason(profile, "used 3 ms of CPU time in 0.00 s, and one sample is taken every 10 ms");
    profile->quality.cpu_samples = 12;
    profile->program_dir = mem_copy_text("/home/user");
    assert_reason(profile,
                  "None of the 12 samples lies in a profiled file; those below /home/user");
    profile->totals.python_s = 1;
    profile_line(profile_file(profile, "/a.py"), 1)->times.python_s = 0.005;
    assert_reason(profile, "No file has 1 % of the time");
    profile->processes = mem_alloc(sizeof *profile->processes);
    profile->processes[0].why_not = mem_copy_text("it is static");
    profile->process_count = 1;
    assert_reason(profile, "No process could be profiled: it is static.");
    struct text text = {0};
    profile_line(profile_file(profile, "/a.py"), 1)->times.python_s = 0.02;
    assert_false(reason_of_emptiness(profile, &text));
    assert_null(text.data);
    profile_free(profile);
}

static void a_file_is_listed_for_time_or_for_waiting(void **state)
{
    (void)state;
    struct profile *profile = profile_new();
    profile->totals.python_s = 1;
    struct profile_file *file = profile_file(profile, "/a.py");
    assert_false(record_is_listed(profile, file));
    profile_line(file, 1)->times.python_s = 0.0099;
    assert_false(record_is_listed(profile, file));
    profile_line(file, 2)->times.wait_s[PROFILE_WAIT_disk] = 0.0001;
    assert_true(record_is_listed(profile, file));
    profile_line(file, 2)->times.wait_s[PROFILE_WAIT_disk] = 0;
    profile->cpu_percent_threshold = 0;
    assert_true(record_is_listed(profile, file));
    profile_free(profile);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_element_is_made_once),
        cmocka_unit_test(many_lines_and_files_stay_apart),
        cmocka_unit_test(notes_are_formatted_and_kept),
        cmocka_unit_test(total_leaves_idle_out_in_virtual_time),
        cmocka_unit_test(rounding_never_makes_more_than_a_hundred),
        cmocka_unit_test(times_beyond_their_total_are_limited),
        cmocka_unit_test(an_empty_profile_says_why),
        cmocka_unit_test(a_file_is_listed_for_time_or_for_waiting),
        cmocka_unit_test(error_is_the_half_width_of_a_95_percent_interval),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
