// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "profile/document.h"
#include "profile/leak_list.h"
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
    assert_true(is_near(profile_line(file, 3)->leak.likelihood, 0.96875));
    assert_true(is_near(profile_line(file, 3)->leak.velocity_mb_s, 1.5));
    assert_true(profile_line(file, 1)->leak.likelihood == 0);
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

static void leaks_are_listed_by_the_text_of_their_number_and_absurd_ones_left_out(void **state)
{
    (void)state;
    struct profile *profile =
        parse("{\"files\": {\"/p.py\": {\"leaks\": {\"9\": {\"likelihood\": 7, "
              "\"velocity_mb_s\": -1}, \"10\": {\"likelihood\": 0.5}, \"x\": {\"likelihood\": 1}, "
              "\"-3\": {\"likelihood\": 1}, \"99999999999\": {\"likelihood\": 1}, \"4\": 3}}}}");
    struct profile_file *file = profile_file(profile, "/p.py");
    assert_int_equal(file->line_count, 2);
    assert_true(profile_line(file, 9)->leak.likelihood == 1);
    assert_true(profile_line(file, 9)->leak.velocity_mb_s == 0);
    struct writer writer;
    writer_init(&writer, -1);
    writer_begin_object(&writer);
    leak_list_write(&writer, file);
    writer_end_object(&writer);
    const char *ten = strstr(writer.text.data, "\"10\": {");
    assert_true(ten && strstr(ten, "\"9\": {"));
    writer_clear(&writer);
    profile_free(profile);
}

static char *document_of(const struct profile *profile)
{
    struct writer writer;
    writer_init(&writer, -1);
    document_write(&writer, profile);
    assert_true(writer_finish(&writer));
    return writer.text.data;
}

static void forget_sample_times(struct profile *profile)
{
    for (size_t i = 0; i < profile->file_count; i++) {
        for (size_t j = 0; j < profile->files[i].line_count; j++) {
            profile->files[i].lines[j].sample_time_count = 0;
        }
    }
}

// Reading by parts is another way to the same profile, but for what no viewer shows.
static void assert_read_alike(const char *text)
{
    struct profile *whole = parse(text);
    struct profile *parts = NULL;
    struct error err;
    assert_true(profile_parse_for(&parts, text, strlen(text), SQUEEZE_PAGE, "p.json", &err));
    forget_sample_times(whole);
    char *from_whole = document_of(whole);
    char *from_parts = document_of(parts);
    assert_string_equal(from_parts, from_whole);
    free(from_whole);
    free(from_parts);
    profile_free(whole);
    profile_free(parts);
}

#define STACKS "\"combined_stacks\": [[[{\"display_name\": \"f\", \"line\": 3, \"ip\": null}], 4]]"

static void timeline_is_read_alike(const char *list)
{
    struct text text = {0};
    text_format(&text,
                "{\"files\": {}, \"format_version\": 1, %s, \"combined_stacks_timeline\": %s}",
                STACKS, list);
    assert_read_alike(text.data);
    text_clear(&text);
}

static void a_profile_read_by_parts_is_the_same(void **state)
{
    (void)state;
    struct profile *saved = sample_profile("/nowhere/large.py");
    profile_file(saved, "/nowhere/large.py")->source = mem_copy_text("a < b\n\tx & \\y\n\nlast");
    char *text = document_of(saved);
    assert_read_alike(text);
    free(text);
    profile_free(saved);
    assert_read_alike("{\"files\": {\"/p.py\": {\"lines\": [{\"lineno\": 2, \"line\": \"x\", "
                      "\"cpu_python_s\": 0.5}, {\"lineno\": 1}, {\"n_malloc_mb\": 3}]}, "
                      "\"/q.py\": {\"lines\": 7}, \"/r.py\": {\"lines\": [\"s\", 5]}}, "
                      "\"format_version\": 1}");
}

static void timelines_of_any_kind_are_read_alike(void **state)
{
    (void)state;
    timeline_is_read_alike("[]");
    timeline_is_read_alike("[{\"t_sec\": 0.25, \"stack_index\": 0, \"count\": 2, \"thread_id\": "
                           "140030602454528}, {\"count\":1,\"t_sec\":1.000001,\"stack_index\":0}]");
    timeline_is_read_alike(
        "[{\"t_sec\": 2, \"stack_index\": 0}, {\"t_sec\": 1, \"stack_index\": 0}]");
    timeline_is_read_alike("[{\"t_sec\": 9.5e-05, \"stack_index\": 0}, {\"t_sec\": 1e2}]");
    timeline_is_read_alike(
        "[{\"t_sec\": 1, \"stack_index\": 1}, {\"t_sec\": 1, \"stack_index\": 0.0}]");
    timeline_is_read_alike("[{\"t_sec\": \"1\", \"stack_index\": -1, \"more\": []}, {}, 3, null]");
    timeline_is_read_alike("[{\"t_sec\": 12345678901234567.25, \"thread_id\": 18446744073709551}]");
    timeline_is_read_alike("17");
}

static void what_is_wrong_in_a_part_is_said_of_the_whole(void **state)
{
    (void)state;
    static const char *const wrong[] = {
        "{\"files\": {\"f\": {\"lines\": [{\"a\": tru}]}}}",
        "{\"files\": {}, \"combined_stacks\": [[[], 1]], \"combined_stacks_timeline\": [1 2]}",
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct profile *profile;
        struct error err;
        assert_false(
            profile_parse_for(&profile, wrong[i], strlen(wrong[i]), SQUEEZE_PAGE, "p.json", &err));
        assert_non_null(strstr(err.text, "invalid JSON in profile file p.json: line 1"));
    }
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
        cmocka_unit_test(leaks_are_listed_by_the_text_of_their_number_and_absurd_ones_left_out),
        cmocka_unit_test(a_profile_read_by_parts_is_the_same),
        cmocka_unit_test(timelines_of_any_kind_are_read_alike),
        cmocka_unit_test(what_is_wrong_in_a_part_is_said_of_the_whole),
        cmocka_unit_test(a_missing_file_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
