// SPDX-License-Identifier: Apache-2.0
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "collect/focus.h"
#include "unit.h"

static struct code make_code(const char *name, int first_line, struct line_row *rows, size_t count)
{
    return (struct code){
        .path = (char *)"/app/main.py",
        .name = (char *)name,
        .first_line = first_line,
        .key = map_key((uint64_t)first_line, map_key_of_text(name)),
        .lines = {.rows = rows, .count = count, .first_line = first_line},
    };
}

static struct line_row ten_to_fourteen[] = {{4, 10}, {8, 14}, {12, 12}};
static struct line_row fourteen_to_sixteen[] = {{4, 15}, {8, 16}};

static void a_function_within_a_decorated_one_is_part_of_it(void **state)
{
    (void)state;
    struct focus focus = {0};
    struct code outer = make_code("outer", 10, ten_to_fourteen, 3);
    struct code inner = make_code("inner", 14, fourteen_to_sixteen, 2);
    struct code other = make_code("other", 17, NULL, 0);
    struct code module = make_code("<module>", 10, NULL, 0);
    struct code elsewhere = outer;
    elsewhere.path = (char *)"/app/other.py";
    elsewhere.key++;
    focus_add(&focus, &outer);
    assert_true(focus_has(&focus, &outer));
    assert_true(focus_has(&focus, &inner));
    assert_false(focus_has(&focus, &other));
    assert_false(focus_has(&focus, &module));
    assert_false(focus_has(&focus, &elsewhere));
    focus_clear(&focus);
}

static void what_is_decorated_later_is_in_focus_too(void **state)
{
    (void)state;
    struct focus focus = {0};
    struct code first = make_code("first", 10, ten_to_fourteen, 3);
    struct code second = make_code("second", 40, NULL, 0);
    focus_add(&focus, &first);
    focus_add(&focus, &first);
    assert_int_equal(focus.count, 1);
    assert_false(focus_has(&focus, &second));
    focus_add(&focus, &second);
    assert_true(focus_has(&focus, &second));
    focus_clear(&focus);
}

static void add_stack(struct profile_stack **stacks, size_t *count, size_t *capacity,
                      uint32_t frame)
{
    *stacks = mem_grow(*stacks, *count, capacity, sizeof **stacks);
    uint32_t *frames = mem_alloc(sizeof *frames);
    *frames = frame;
    (*stacks)[(*count)++] = (struct profile_stack){.frames = frames, .frame_count = 1, .hits = 1};
}

static struct profile *make_profile(void)
{
    struct profile *profile = profile_new();
    struct profile_file *file = profile_file(profile, "/app/main.py");
    profile_line(file, 5)->times = (struct profile_times){.python_s = 2};
    profile_line(file, 12)->times = (struct profile_times){.python_s = 1, .idle_s = 0.5};
    profile_function(file, "outer", 10)->times = (struct profile_times){.python_s = 1};
    profile_function(file, "other", 4)->times = (struct profile_times){.python_s = 2};
    profile->totals = (struct profile_times){.python_s = 4, .idle_s = 1};
    profile->quality.cpu_unattributed_s = 1;
    profile->frames = mem_alloc(2 * sizeof *profile->frames);
    profile->frame_count = profile->frame_capacity = 2;
    for (size_t i = 0; i < 2; i++) {
        profile->frames[i].name = mem_copy_text("");
        profile->frames[i].file = mem_copy_text("/app/main.py");
        profile->frames[i].line = i == 0 ? 5 : 12;
        add_stack(&profile->stacks, &profile->stack_count, &profile->stack_capacity, (uint32_t)i);
        add_stack(&profile->combined, &profile->combined_count, &profile->combined_capacity,
                  (uint32_t)i);
    }
    profile->timeline = mem_alloc(2 * sizeof *profile->timeline);
    profile->timeline_count = profile->timeline_capacity = 2;
    profile->timeline[1].stack = 1;
    return profile;
}

static void a_profile_keeps_the_decorated_lines_and_says_what_is_left_out(void **state)
{
    (void)state;
    struct focus focus = {0};
    struct code outer = make_code("outer", 10, ten_to_fourteen, 3);
    focus_add(&focus, &outer);
    struct profile *profile = make_profile();
    focus_limit(&focus, profile);
    struct profile_file *file = profile_file(profile, "/app/main.py");
    assert_true(profile_line(file, 5)->times.python_s == 0);
    assert_true(profile_line(file, 12)->times.python_s == 1);
    assert_true(profile_function(file, "other", 4)->times.python_s == 0);
    assert_true(profile->totals.python_s == 1 && profile->totals.idle_s == 0.5);
    assert_true(profile->quality.cpu_unattributed_s == 0);
    assert_int_equal(profile->stack_count, 1);
    assert_int_equal(profile->combined_count, 1);
    assert_int_equal(profile->timeline_count, 1);
    assert_int_equal(profile->timeline[0].stack, 0);
    assert_int_equal(profile->quality.note_count, 1);
    assert_non_null(strstr(profile->quality.notes[0], "3.00 s of CPU outside are left out"));
    profile_free(profile);
    focus_clear(&focus);
}

static void without_decorators_a_profile_stays_as_it_is(void **state)
{
    (void)state;
    struct focus focus = {0};
    struct profile *profile = make_profile();
    focus_limit(&focus, profile);
    assert_true(profile->totals.python_s == 4);
    assert_int_equal(profile->combined_count, 2);
    assert_int_equal(profile->quality.note_count, 0);
    profile_free(profile);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_function_within_a_decorated_one_is_part_of_it),
        cmocka_unit_test(what_is_decorated_later_is_in_focus_too),
        cmocka_unit_test(a_profile_keeps_the_decorated_lines_and_says_what_is_left_out),
        cmocka_unit_test(without_decorators_a_profile_stays_as_it_is),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
