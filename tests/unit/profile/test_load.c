// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "profile/document.h"
#include "profile/load.h"
#include "sample.h"
#include "unit.h"

static struct profile *parse(const char *text)
{
    struct profile *profile = NULL;
    struct error err = {{0}};
    if (!profile_parse(&profile, text, strlen(text), "p.json", &err)) {
        fail_msg("%s", err.text);
    }
    return profile;
}

static bool is_near(double left, double right)
{
    return fabs(left - right) < 1e-7;
}

static void what_was_saved_is_loaded(void **state)
{
    (void)state;
    struct profile *saved = sample_profile("/nowhere/large.py");
    profile_file(saved, "/nowhere/large.py")->source = mem_copy_text("a < b\n\tx & y\n\nlast");
    struct writer writer;
    writer_init(&writer, -1);
    document_write(&writer, saved);
    assert_true(writer_finish(&writer));
    struct profile *loaded = parse(writer.text.data);
    writer_clear(&writer);
    assert_int_equal(loaded->file_count, 1);
    assert_int_equal(loaded->rest.file_count, 1);
    struct profile_file *file = &loaded->files[0];
    assert_string_equal(file->source, "a < b\n\tx & y\n\nlast\n");
    assert_int_equal(file->line_count, 2);
    const struct profile_times *times = &profile_line(file, 3)->times;
    assert_true(is_near(times->python_s, 1.0 / 3));
    assert_true(is_near(times->wait_s[PROFILE_WAIT_gil], 0.75));
    assert_true(is_near(times->variance_s2, 0.0001));
    assert_true(times->idle_s == 0);
    assert_true(is_near(profile_line(file, 1)->times.idle_s, 0.5));
    assert_int_equal(profile_line(file, 3)->sample_time_count, 3);
    assert_true(profile_line(file, 3)->sample_times_s[0] == 11.25);
    const struct profile_memory *memory = &profile_line(file, 3)->memory;
    assert_true(is_near(memory->allocated_mb, 300) && is_near(memory->python_mb, 75));
    assert_true(is_near(memory->peak_mb, 200) && is_near(memory->average_mb, 90));
    assert_true(is_near(memory->at_peak_mb, 180) && is_near(memory->at_end_mb, 20));
    assert_true(is_near(memory->error_mb, 0.25) && is_near(memory->live_error_mb, 0.5));
    assert_true(is_near(memory->copied_mb, 60) && is_near(memory->usage_fraction, 0.75));
    assert_int_equal(memory->point_count, 2);
    assert_true(is_near(memory->points[1].t_s, 0.5) && is_near(memory->points[1].mb, 20));
    assert_true(loaded->has_memory && is_near(loaded->footprint.max_mb, 250));
    assert_true(is_near(loaded->footprint.unattributed_at_peak_mb, -5));
    assert_string_equal(loaded->footprint.path, "/nowhere/large.py");
    assert_int_equal(file->function_count, 1);
    assert_string_equal(file->functions[0].name, "outer.<locals>.inner");
    assert_string_equal(loaded->ended.how, "signal");
    assert_int_equal(loaded->ended.status, 9);
    assert_int_equal(loaded->quality.cpu_samples_late, 2);
    assert_string_equal(loaded->quality.notes[0], "a note of 5 words");
    assert_string_equal(loaded->processes[1].why_not, "not Python");
    assert_int_equal(loaded->threads[0].thread_id, 77);
    assert_true(is_near(profile_total_s(loaded), profile_total_s(saved)));
    profile_free(loaded);
    profile_free(saved);
}

static void the_originals_shares_become_seconds_of_its_elapsed_time(void **state)
{
    (void)state;
    struct profile *profile =
        parse("{\"elapsed_time_sec\": 4.0, \"args\": null, \"files\": {\"/p.py\": {\"lines\": ["
              "{\"lineno\": 1, \"line\": \"a \\\\u003c b\\n\", \"n_cpu_percent_python\": 50,"
              " \"n_cpu_percent_c\": 25.0, \"n_sys_percent\": 12.5}]}}}");
    assert_int_equal(profile->format_version, 0);
    struct profile_file *file = profile_file(profile, "/p.py");
    assert_true(is_near(profile_line(file, 1)->times.python_s, 2));
    assert_true(is_near(profile_line(file, 1)->times.system_s, 0.5));
    assert_string_equal(file->source, "a < b\n");
    assert_true(is_near(profile_total_s(profile), 4));
    profile_free(profile);
}

static void an_empty_object_is_an_empty_profile(void **state)
{
    (void)state;
    struct profile *profile = parse("{}");
    assert_int_equal(profile->file_count, 0);
    profile_free(profile);
}

static void assert_refused(const char *text, const char *sentence)
{
    struct profile *profile = NULL;
    struct error err = {{0}};
    assert_false(profile_parse(&profile, text, strlen(text), "p.json", &err));
    assert_null(profile);
    if (strncmp(err.text, sentence, strlen(sentence)) != 0) {
        fail_msg("%s", err.text);
    }
}

static void what_is_no_profile_is_refused_in_one_sentence(void **state)
{
    (void)state;
    assert_refused("", "invalid JSON in profile file p.json: line 1: ");
    assert_refused("{\n\"files\": {,\n", "invalid JSON in profile file p.json: line 2: ");
    assert_refused("{\"files\": {}", "invalid JSON in profile file p.json: line 1: ");
    assert_refused("[1]", "p.json is JSON, but not a profile");
    assert_refused("{\"name\": \"x\"}", "p.json is JSON, but not a profile");
    assert_refused("{\"files\": []}", "p.json is JSON, but not a profile");
    assert_refused("{\"files\": {}, \"x\": NaN}", "invalid JSON");
}

static void wrong_types_and_absurd_numbers_are_left_out(void **state)
{
    (void)state;
    struct profile *profile =
        parse("{\"format_version\": 1, \"program\": 3, \"args\": [1, \"a\"], \"ended\": [],"
              "\"totals\": {\"cpu_python_s\": \"1\", \"cpu_native_s\": -5, \"idle_s\": 1e300},"
              "\"quality\": {\"cpu_samples\": -1, \"notes\": {\"a\": 1}}, \"threads\": [3],"
              "\"processes\": {\"pid\": 1}, \"files\": {\"/p.py\": {\"lines\": [7, {}, "
              "{\"lineno\": -3, \"cpu_python_s\": 1.0, \"line\": \"x\\ny\\n\"},"
              "{\"lineno\": 2000000000, \"cpu_python_s\": 1.0}, {\"lineno\": 99999999999999}],"
              "\"functions\": [{\"line\": 1}, 2]}, \"/q.py\": null}}");
    assert_null(profile->program);
    assert_int_equal(profile->arg_count, 1);
    assert_true(profile_total_s(profile) == 0);
    struct profile_file *file = profile_file(profile, "/p.py");
    assert_string_equal(file->source, "\n\nx\n\n");
    assert_int_equal(file->line_count, 1);
    assert_int_equal(file->function_count, 0);
    profile_free(profile);
}

static void a_missing_file_is_named(void **state)
{
    (void)state;
    struct profile *profile;
    struct error err;
    assert_false(profile_load(&profile, "/nowhere/p.json", &err));
    assert_string_equal(err.text,
                        "cannot open profile file /nowhere/p.json: No such file or directory");
    assert_false(profile_load(&profile, "/tmp", &err));
    assert_string_equal(err.text, "cannot read profile file /tmp: Is a directory");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_saved_is_loaded),
        cmocka_unit_test(the_originals_shares_become_seconds_of_its_elapsed_time),
        cmocka_unit_test(an_empty_object_is_an_empty_profile),
        cmocka_unit_test(what_is_no_profile_is_refused_in_one_sentence),
        cmocka_unit_test(wrong_types_and_absurd_numbers_are_left_out),
        cmocka_unit_test(a_missing_file_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
