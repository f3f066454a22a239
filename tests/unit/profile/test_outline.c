// SPDX-License-Identifier: Apache-2.0
// Small cases, one rule each; check_outline.py compares whole files with Python's own parser.
#include <stdlib.h>
#include <string.h>

#include "profile/outline.h"
#include "unit.h"

static struct outline *outline_of(const char *text)
{
    struct source source;
    source_from_text(&source, text, strlen(text));
    struct outline *outline = outline_new(&source);
    source_clear(&source);
    return outline;
}

static void assert_range(struct outline_range range, int first, int last)
{
    assert_int_equal(range.first, first);
    assert_int_equal(range.last, last);
}

static void a_line_belongs_to_the_innermost_loop_before_its_function(void **state)
{
    (void)state;
    struct outline *outline = outline_of("class A:\n"
                                         "    def f(self):\n"
                                         "        for x in y:\n"
                                         "            while x:\n"
                                         "                x -= 1\n"
                                         "        return 1\n"
                                         "z = 1\n");
    assert_range(outline_find(outline, 5).region, 4, 5);
    assert_range(outline_find(outline, 5).outermost_loop, 3, 5);
    assert_range(outline_find(outline, 5).function, 2, 6);
    assert_range(outline_find(outline, 6).region, 2, 6);
    assert_range(outline_find(outline, 6).outermost_loop, 6, 6);
    assert_range(outline_find(outline, 7).region, 7, 7);
    assert_range(outline_find(outline, 7).function, 0, 0);
    assert_range(outline_find(outline, 99).region, 99, 99);
    outline_free(outline);
}

static void a_function_in_a_loop_starts_anew(void **state)
{
    (void)state;
    struct outline *outline = outline_of("for i in x:\n"
                                         "    def f():\n"
                                         "        a = 1\n"
                                         "    b = 2\n");
    assert_range(outline_find(outline, 2).outermost_loop, 2, 3);
    assert_range(outline_find(outline, 3).outermost_loop, 3, 3);
    assert_range(outline_find(outline, 4).outermost_loop, 1, 4);
    outline_free(outline);
}

static void clauses_belong_to_their_statement(void **state)
{
    (void)state;
    struct outline *outline = outline_of("for i in x:\n"
                                         "    a\n"
                                         "else:\n"
                                         "    b\n"
                                         "c\n");
    assert_range(outline_find(outline, 4).region, 1, 4);
    assert_range(outline_find(outline, 5).region, 5, 5);
    outline_free(outline);
}

static void strings_brackets_and_comments_hide_what_is_in_them(void **state)
{
    (void)state;
    struct outline *outline = outline_of("def f(a=(1,\n"
                                         "def_ := 2), b='''\n"
                                         "def g():\n"
                                         "'''):  # class X:\n"
                                         "    s = f\"{x['a']:>{w}} def {{\" \\\n"
                                         "        + rb'\\'' + f'{y!r}'\n"
                                         "# not indented\n"
                                         "    return f\"{d[\"k\"]}\"\n"
                                         "end = 1\n");
    for (int line = 1; line <= 8; line++) {
        assert_range(outline_find(outline, line).function, 1, 8);
    }
    assert_range(outline_find(outline, 9).function, 0, 0);
    outline_free(outline);
}

static void bodies_may_stand_on_the_header_line(void **state)
{
    (void)state;
    struct outline *outline = outline_of("def f(): return 1\n"
                                         "class A: x: int = 1\n"
                                         "if lambda: 1: pass\n"
                                         "y = 2\n");
    assert_range(outline_find(outline, 1).function, 1, 1);
    assert_range(outline_find(outline, 2).function, 2, 2);
    assert_range(outline_find(outline, 4).function, 0, 0);
    outline_free(outline);
}

static void assert_name(const struct outline *outline, int line, const char *name,
                        const char *expected)
{
    char *qualified = outline_qualified_name(outline, line, name);
    assert_string_equal(qualified, expected);
    free(qualified);
}

static void names_are_qualified_as_python_does(void **state)
{
    (void)state;
    struct outline *outline = outline_of("@decorated\n"
                                         "@again(\n"
                                         "    1)\n"
                                         "def outer():\n"
                                         "\tclass Inner[T]:\n"
                                         "\t\tif True:\n"
                                         "\t\t\tasync def method(self):\n"
                                         "\t\t\t\treturn [x for x in self]\n"
                                         "\tdef leaf(): return lambda: 1\n"
                                         "key = lambda: 1\n");
    assert_name(outline, 1, "outer", "outer");
    assert_name(outline, 5, "Inner", "outer.<locals>.Inner");
    assert_name(outline, 7, "method", "outer.<locals>.Inner.method");
    assert_name(outline, 8, "<listcomp>", "outer.<locals>.Inner.method.<locals>.<listcomp>");
    assert_name(outline, 9, "<lambda>", "outer.<locals>.leaf.<locals>.<lambda>");
    assert_name(outline, 10, "<lambda>", "<lambda>");
    assert_name(outline, 1, "<module>", "<module>");
    assert_name(outline, 4, "changed", "changed");
    assert_name(outline, -3, "f", "f");
    outline_free(outline);
}

static void code_without_a_name_is_its_functions(void **state)
{
    (void)state;
    struct outline *outline = outline_of("@d\n"
                                         "def f(a=lambda: 0):\n"
                                         "    return lambda: 1\n"
                                         "class A:\n"
                                         "    x = lambda: 2\n");
    int first_line = 0;
    char *name = outline_enclosing_function(outline, 3, &first_line);
    assert_string_equal(name, "f");
    assert_int_equal(first_line, 1);
    free(name);
    assert_null(outline_enclosing_function(outline, 2, &first_line));
    assert_null(outline_enclosing_function(outline, 5, &first_line));
    outline_free(outline);
}

static void broken_text_does_no_harm(void **state)
{
    (void)state;
    const char *texts[] = {
        "",      "\n", "def",    "def :", "(((",   "'''",          "f'{",
        "f'{{{", "\\", "f\"{x:", "@",     "class", "\xff\xfe def", "if x:\n\tdef f(\n",
        "f'\\N{"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct outline *outline = outline_of(texts[i]);
        outline_find(outline, 1);
        outline_free(outline);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_line_belongs_to_the_innermost_loop_before_its_function),
        cmocka_unit_test(a_function_in_a_loop_starts_anew),
        cmocka_unit_test(clauses_belong_to_their_statement),
        cmocka_unit_test(strings_brackets_and_comments_hide_what_is_in_them),
        cmocka_unit_test(bodies_may_stand_on_the_header_line),
        cmocka_unit_test(names_are_qualified_as_python_does),
        cmocka_unit_test(code_without_a_name_is_its_functions),
        cmocka_unit_test(broken_text_does_no_harm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
