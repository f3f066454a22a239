// SPDX-License-Identifier: Apache-2.0
// From a model's answer to what it changes.
#include <stdlib.h>
#include <string.h>

#include "suggest/diff.h"
#include "suggest/replacement.h"
#include "unit.h"

static struct profile_file file = {.path = (char *)"/p/q/a.py"};

static struct region region_of(const char *text, int first, int last)
{
    struct region region = {.file = &file, .line = first, .first = first, .last = last};
    source_from_text(&region.source, text, strlen(text));
    return region;
}

static void check_code(const char *source, int first, int last, const char *answer,
                       const char *expected)
{
    struct region region = region_of(source, first, last);
    struct text code = {0};
    struct error err;
    assert_true(replacement_read(&code, answer, &region, &err));
    assert_string_equal(code.data, expected);
    text_clear(&code);
    source_clear(&region.source);
}

static void code_is_taken_from_the_first_block(void **state)
{
    (void)state;
    check_code("x = 1\n", 1, 1, "Sure:\n```python\nx = 2\n```\nor\n```\nx = 3\n```\n", "x = 2\n");
    check_code("x = 1\n", 1, 1, "```\n```\n```py\nx = 2\n```", "x = 2\n");
    check_code("x = 1\n", 1, 1, "```python\nx = 2\nx = 3", "x = 2\nx = 3\n"); // cut
    check_code("x = 1\n", 1, 1,
               "```\n# >>> the lines to rewrite begin here\nx = 2\n# <<< the lines to rewrite end "
               "here\n```",
               "x = 2\n");
}

static void a_fence_in_a_docstring_does_not_end_the_block(void **state)
{
    (void)state;
    check_code("x = 1\n", 1, 1,
               "```python\ndef f():\n    \"\"\"Use:\n```\nf()\n```\n    \"\"\"\n```\nor not\n",
               "def f():\n    \"\"\"Use:\n```\nf()\n```\n    \"\"\"\n");
    check_code("x = 1\n", 1, 1, "````py\ns = '''\n```\n'''\n````\n", "s = '''\n```\n'''\n");
    check_code("x = 1\n", 1, 1, "```\nbroken('''\n```\nit's\n", "broken('''\n");
}

static void other_languages_are_no_code(void **state)
{
    (void)state;
    check_code("x = 1\n", 1, 1, "```bash\npip install numpy\n```\nthen\n```Python3\nx = 2\n```\n",
               "x = 2\n");
    check_code("x = 1\n", 1, 1, "```sh\necho 'it'\n```\n``` \nx = 2\n```\n", "x = 2\n");
}

static void code_is_indented_as_what_it_replaces(void **state)
{
    (void)state;
    check_code("if a:\n    b()\n    c()\n", 2, 3, "```\nif d:\n    e()\n\nf()\n```",
               "    if d:\n        e()\n\n    f()\n");
    check_code("if a:\n    b()\n", 2, 2, "```\n    d('''\ntext\n''')\n```",
               "    d('''\ntext\n''')\n");
    check_code("b()\n", 1, 1, "```\n        d()\n        e()\n```", "d()\ne()\n");
    check_code("if a:\r\n\tb()\r\n", 2, 2, "```\ncall()\n```", "\tcall()\r\n");
}

static void an_answer_without_code_is_refused(void **state)
{
    (void)state;
    static const char *const answers[] = {
        "", "no", "```", "```\n```", "```python\n```\ntext", "```bash\nls\n```\n"};
    struct region region = region_of("x\n", 1, 1);
    for (size_t i = 0; i < sizeof answers / sizeof *answers; i++) {
        struct text code = {0};
        struct error err;
        assert_false(replacement_read(&code, answers[i], &region, &err));
        text_clear(&code);
    }
    source_clear(&region.source);
}

static void a_long_proposal_is_bounded(void **state)
{
    (void)state;
    struct region region = region_of("x\n", 1, 1);
    struct text code = {0};
    struct diff diff;
    for (int i = 0; i < 50000; i++) {
        text_add(&code, "x\n");
    }
    diff_make(&diff, &region, code.data, code.len);
    assert_int_equal(diff.count, 50001);
    diff_clear(&diff);
    text_clear(&code);
    source_clear(&region.source);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(code_is_taken_from_the_first_block),
        cmocka_unit_test(a_fence_in_a_docstring_does_not_end_the_block),
        cmocka_unit_test(other_languages_are_no_code),
        cmocka_unit_test(code_is_indented_as_what_it_replaces),
        cmocka_unit_test(an_answer_without_code_is_refused),
        cmocka_unit_test(a_long_proposal_is_bounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
