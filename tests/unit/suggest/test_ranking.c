// SPDX-License-Identifier: Apache-2.0
// Which lines and regions of a profile are asked about.
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "suggest/ranking.h"
#include "unit.h"

#define PLACES_MAX 8

// A profile of 100 s with one file, which the caller frees.
static struct profile *profile_of(const char *path, const char *source)
{
    struct profile *profile = profile_new();
    profile->totals.python_s = 100;
    profile_file(profile, path)->source = mem_copy_text(source);
    return profile;
}

static void spend(struct profile *profile, const char *path, int line, double seconds)
{
    profile_line(profile_file(profile, path), line)->times.python_s = seconds;
}

// A loop of so many lines, and what stands before and after it.
static void add_loop(struct text *source, int lines)
{
    text_add(source, "alone()\nfor i in x:\n");
    for (int i = 0; i < lines; i++) {
        text_add(source, "    step()\n");
    }
    text_add(source, "alone()\n");
}

static void check_top(const struct profile *profile, enum region_aim aim, size_t max,
                      const int *lines, size_t count)
{
    struct place places[PLACES_MAX];
    assert_int_equal(ranking_top(profile, aim, places, max), count);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(places[i].line, lines[i]);
    }
}

static void a_region_counts_with_all_its_lines(void **state)
{
    (void)state;
    struct text source = {0};
    add_loop(&source, 30);
    struct profile *profile = profile_of("/x/a.py", source.data);
    spend(profile, "/x/a.py", 1, 12);
    for (int line = 3; line < 33; line++) {
        spend(profile, "/x/a.py", line, line == 20 ? 3.1 : 2.9);
    }
    check_top(profile, REGION_FOR_TIME, 5, (const int[]){20, 1}, 2);
    check_top(profile, REGION_FOR_TIME, 1, (const int[]){20}, 1);
    profile_free(profile);
    text_clear(&source);
}

static void many_lines_of_one_region_hide_no_other(void **state)
{
    (void)state;
    struct text source = {0};
    add_loop(&source, 45);
    struct profile *profile = profile_of("/x/a.py", source.data);
    for (int line = 3; line < 48; line++) {
        spend(profile, "/x/a.py", line, 2);
    }
    spend(profile, "/x/a.py", 48, 1.5);
    check_top(profile, REGION_FOR_TIME, 2, (const int[]){3, 48}, 2);
    profile_free(profile);
    text_clear(&source);
}

static const char nested[] = "def f(x):\n"
                             "    before()\n"
                             "    for i in x:\n"
                             "        step()\n"
                             "    after()\n";

static void regions_are_not_inside_one_another(void **state)
{
    (void)state;
    struct profile *profile = profile_of("/x/a.py", nested);
    spend(profile, "/x/a.py", 2, 30);
    spend(profile, "/x/a.py", 4, 60);
    check_top(profile, REGION_FOR_TIME, 5, (const int[]){4}, 1); // the loop, not what is around it
    spend(profile, "/x/a.py", 2, 70);
    check_top(profile, REGION_FOR_TIME, 5, (const int[]){2}, 1);
    profile_free(profile);
}

static void little_and_blank_is_not_asked_about(void **state)
{
    (void)state;
    struct profile *profile = profile_of("/x/a.py", "a()\n\n \t\nb()\n");
    spend(profile, "/x/a.py", 1, 0.9);
    spend(profile, "/x/a.py", 2, 50);
    spend(profile, "/x/a.py", 3, 40);
    spend(profile, "/x/a.py", 9, 40); // beyond the text
    check_top(profile, REGION_FOR_TIME, 5, NULL, 0);
    spend(profile, "/x/a.py", 4, 1);
    check_top(profile, REGION_FOR_TIME, 5, (const int[]){4}, 1);
    profile_free(profile);
}

static void the_aim_chooses(void **state)
{
    (void)state;
    struct profile *profile = profile_of("/x/a.py", "a()\nb()\nc(\n  1)\n");
    profile->has_memory = true;
    profile->footprint.max_mb = 100;
    spend(profile, "/x/a.py", 1, 90);
    profile_line(profile_file(profile, "/x/a.py"), 2)->memory.at_peak_mb = 40;
    profile_line(profile_file(profile, "/x/a.py"), 3)->memory.at_peak_mb = 25;
    profile_line(profile_file(profile, "/x/a.py"), 4)->memory.at_peak_mb = 26;
    check_top(profile, REGION_FOR_TIME, 5, (const int[]){1}, 1);
    check_top(profile, REGION_FOR_MEMORY, 5, (const int[]){4, 2}, 2);
    profile_free(profile);
}

static void a_whole_path_names_its_file(void **state)
{
    (void)state;
    struct profile *profile = profile_of("/srv/app/m.py", "a()\n");
    struct place place;
    struct error err;
    profile_file(profile, "/app/m.py");
    assert_true(place_read(&place, profile, "/app/m.py:4", &err));
    assert_string_equal(place.file->path, "/app/m.py");
    assert_int_equal(place.line, 4);
    assert_true(place_read(&place, profile, "srv/app/m.py:4", &err));
    assert_string_equal(place.file->path, "/srv/app/m.py");
    assert_false(place_read(&place, profile, "m.py:4", &err));
    assert_non_null(strstr(err.text, "could be"));
    profile_free(profile);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_region_counts_with_all_its_lines),
        cmocka_unit_test(many_lines_of_one_region_hide_no_other),
        cmocka_unit_test(regions_are_not_inside_one_another),
        cmocka_unit_test(little_and_blank_is_not_asked_about),
        cmocka_unit_test(the_aim_chooses),
        cmocka_unit_test(a_whole_path_names_its_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
