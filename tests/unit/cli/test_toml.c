// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "base/text.h"
#include "cli/toml.h"
#include "unit.h"

static bool note(void *context, const struct toml_entry *entry, struct error *err)
{
    static const char *const kinds[] = {"text", "word", "list", "other", "table"};
    if (strcmp(entry->path, "refused") == 0) {
        return error_set(err, "not that");
    }
    text_format(context, "%s %s %s\n", entry->path, kinds[entry->kind],
                entry->text ? entry->text : "");
    return true;
}

static bool read_text(const char *toml, struct text *seen, unsigned *line, struct error *err)
{
    struct toml_taker taker = {.context = seen, .take = note};
    *seen = (struct text){0};
    text_add(seen, "");
    return toml_read(toml, strlen(toml), &taker, line, err);
}

static void assert_read(const char *toml, const char *expected)
{
    struct text seen;
    struct error err;
    unsigned line;
    if (!read_text(toml, &seen, &line, &err)) {
        fail_msg("line %u: %s", line, err.text);
    }
    assert_string_equal(seen.data, expected);
    text_clear(&seen);
}

static void values_come_with_the_path_of_their_table(void **state)
{
    (void)state;
    assert_read("a = 1\n[b.c]\n d = true\n[[e]]\nf = -1.5e3 # comment\n",
                "a word 1\nb.c table \nb.c.d word true\ne table \ne.f word -1.5e3\n");
    assert_read("a.b . c = 1", "a.b.c word 1\n");
    assert_read("[ a . \"b.c\" . 'd' ]\r\n x=2\r\n", "a.b\\.c.d table \na.b\\.c.d.x word 2\n");
    assert_read("t = {a = 1, b.c = 'x', d = {}}\n",
                "t table \nt.a word 1\nt.b.c text x\nt.d table \n");
    assert_read("d = 1979-05-27T07:32:00Z\nn = 1_000\n",
                "d word 1979-05-27T07:32:00Z\nn word 1000\n");
    assert_read("", "");
    assert_read("\n# nothing\n\n", "");
}

static void strings_are_read_in_all_four_forms(void **state)
{
    (void)state;
    assert_read("a = \"x\\t\\\"\\\\ \\u00e9\\U0001F600\"", "a text x\t\"\\ \u00e9\U0001F600\n");
    assert_read("a = 'C:\\new'", "a text C:\\new\n");
    assert_read("a = \"\"\"\none\ntwo \\\n\n   three\"\"\"\n", "a text one\ntwo three\n");
    assert_read("a = '''\n'quoted' \\n'''''\n", "a text 'quoted' \\n''\n");
    assert_read("a = \"\"\nb = ''\n", "a text \nb text \n");
}

static void lists_are_joined_and_nested_ones_are_read_over(void **state)
{
    (void)state;
    assert_read("a = [1, 'x', # why\n \"y\",\n]\n", "a list 1,x,y\n");
    assert_read("a = []\n", "a list \n");
    assert_read("a = [[1, 2], {b = 'c'}]\n e = 1\n", "a other \ne word 1\n");
}

static void what_is_no_toml_is_refused_with_its_line(void **state)
{
    (void)state;
    const char *const rows[][2] = {
        {"a = \n", "a value was expected"},   {"a = 1 b = 2\n", "should end"},
        {"= 1\n", "a key was expected"},      {"a = \"\\q\"\n", "means nothing"},
        {"a = \"\\ud800\"\n", "character"},   {"a = \"x\n", "does not end"},
        {"a = 'x", "does not end"},           {"a = \"\"\"x", "does not end"},
        {"[a\n", "']' was expected"},         {"a = [1 2]\n", "',' or ']'"},
        {"a = {b = 1\n", "'}' was expected"}, {"a = [1,", "a value was expected"},
        {"a = \"\\u12\"", "hexadecimal"},     {"a = [[[[[[[[[[[[[[[[[[[[1", "too deeply"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct text seen;
        struct text toml = {0};
        struct error err;
        unsigned line;
        text_format(&toml, "# first\nx = 1\n%s", rows[i][0]);
        assert_false(read_text(toml.data, &seen, &line, &err));
        if (!strstr(err.text, rows[i][1])) {
            fail_msg("'%s' is not in '%s'", rows[i][1], err.text);
        }
        assert_true(line == 3 || line == 4);
        text_clear(&toml);
        text_clear(&seen);
    }
}

static void who_takes_the_values_may_refuse(void **state)
{
    (void)state;
    struct text seen;
    struct error err;
    unsigned line;
    assert_false(read_text("a = 1\nrefused = 2\nb = 3\n", &seen, &line, &err));
    assert_int_equal(line, 0);
    assert_string_equal(seen.data, "a word 1\n");
    assert_string_equal(err.text, "not that");
    text_clear(&seen);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_come_with_the_path_of_their_table),
        cmocka_unit_test(strings_are_read_in_all_four_forms),
        cmocka_unit_test(lists_are_joined_and_nested_ones_are_read_over),
        cmocka_unit_test(what_is_no_toml_is_refused_with_its_line),
        cmocka_unit_test(who_takes_the_values_may_refuse),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
