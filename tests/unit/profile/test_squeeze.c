// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "profile/squeeze.h"
#include "unit.h"

static void assert_squeezed(const char *text, const char *expected)
{
    struct squeezed out;
    if (!squeeze(text, strlen(text), SQUEEZE_LINES, &out)) {
        fail_msg("%s is not squeezed", text);
    }
    assert_string_equal(out.text.data, expected);
    squeezed_clear(&out);
}

static void assert_refused(const char *text)
{
    struct squeezed out;
    if (squeeze(text, strlen(text), SQUEEZE_LINES, &out)) {
        fail_msg("%s became %s", text, out.text.data);
    }
    squeezed_clear(&out);
}

static void white_space_goes_and_what_is_in_strings_stays(void **state)
{
    (void)state;
    assert_squeezed(" { \"a b\" : [ 1 , 2.5e3, true ] ,\n\t\"c\\\"d\\\\\" : \" x \" } ",
                    "{\"a b\":[1,2.5e3,true],\"c\\\"d\\\\\":\" x \"}");
    assert_squeezed("[]", "[]");
    assert_squeezed("\"x\"", "\"x\"");
}

static void stacks_go_at_the_top_alone(void **state)
{
    (void)state;
    assert_squeezed("{\"a\": 1, \"stacks\": [[\"]\", {\"}\": 1}], 2], \"b\": {\"stacks\": [3]}}",
                    "{\"a\":1,\"b\":{\"stacks\":[3]}}");
    assert_squeezed("{\"memory_stacks\": [], \"combined_stacks\": [[]]}", "{}");
}

static void pages_keep_stacks_and_know_where_the_timeline_stands(void **state)
{
    (void)state;
    static const char text[] = "{\"combined_stacks\": [[]], \"combined_stacks_timeline\": "
                               "[{\"t_sec\": 1}], \"a\": 1, \"stacks\": [2]}";
    struct squeezed out;
    assert_true(squeeze(text, strlen(text), SQUEEZE_PAGE, &out));
    assert_string_equal(out.text.data, "{\"combined_stacks\":[[]],\"a\":1}");
    assert_memory_equal(out.timeline, " [{\"t_sec\": 1}]", out.timeline_len);
    squeezed_clear(&out);
}

static void records_of_lines_are_set_apart_without_what_is_nothing(void **state)
{
    (void)state;
    static const char text[] =
        "{\"z\": 0, \"files\": {\"f\": {\"lines\": []}, \"g\": {\"lines\": [{\"a\": 0.0, \"b\": "
        "1, \"c\": [], \"d\": {\"e\": 0}, \"cpu_samples_list\": [1, 2], \"f\": 0.5, "
        "\"n_mallocs\": 17}, {\"n_mallocs\": 2 , \"h\": 3}], \"i\": 4}}, "
        "\"k\": {\"l\": {\"lines\": [5]}}}";
    struct squeezed out;
    assert_true(squeeze(text, strlen(text), SQUEEZE_LINES, &out));
    assert_string_equal(out.text.data,
                        "{\"z\":0,\"files\":{\"f\":{\"lines\":0},\"g\":{\"lines\":1,\"i\":4}},"
                        "\"k\":{\"l\":{\"lines\":[5]}}}");
    assert_string_equal(out.records.data, "{\"b\":1,\"f\":0.5}{\"h\":3}");
    assert_int_equal(out.list_count, 2);
    assert_int_equal(out.lists[0].end, 0);
    assert_int_equal(out.lists[1].end, out.records.len);
    squeezed_clear(&out);
}

static void the_numbers_of_many_short_lists_have_room(void **state)
{
    (void)state;
    struct text text = {0};
    text_add(&text, "{\"files\":{");
    for (int i = 0; i < 20000; i++) {
        text_add(&text, i > 0 ? ",\"\":{\"lines\":[]}" : "\"\":{\"lines\":[]}");
    }
    text_add(&text, "}}");
    struct squeezed out;
    assert_true(squeeze(text.data, text.len, SQUEEZE_LINES, &out));
    assert_int_equal(out.list_count, 20000);
    assert_true(out.text.len > text.len);
    squeezed_clear(&out);
    text_clear(&text);
}

static void what_is_not_json_is_left_to_the_parser(void **state)
{
    (void)state;
    assert_refused("{");
    assert_refused("[1");
    assert_refused("[1 2]");
    assert_refused("[\"open");
    assert_refused("{\"stacks\": [\"open");
    assert_refused("[1,]");
    assert_refused("[,1]");
    assert_refused("{\"files\": {\"f\": {\"lines\": [1]}}}");
    assert_refused("{\"files\": {\"f\": {\"lines\": [{}, []]}}}");
    assert_refused("{\"a\"}");
    assert_refused("{\"a\": }");
    assert_refused("{\"a\": 1 \"b\": 2}");
    assert_refused("{\"stacks\": [}");
    assert_refused("]");
    assert_refused("[}");
    assert_refused("{} {}");
    assert_refused("\"x");
    char deep[201];
    memset(deep, '[', 200);
    deep[200] = '\0';
    assert_refused(deep);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(white_space_goes_and_what_is_in_strings_stays),
        cmocka_unit_test(stacks_go_at_the_top_alone),
        cmocka_unit_test(pages_keep_stacks_and_know_where_the_timeline_stands),
        cmocka_unit_test(records_of_lines_are_set_apart_without_what_is_nothing),
        cmocka_unit_test(the_numbers_of_many_short_lists_have_room),
        cmocka_unit_test(what_is_not_json_is_left_to_the_parser),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
