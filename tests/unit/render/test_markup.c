// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "render/markup.h"
#include "unit.h"

static void assert_marked_up(const char *text, const char *expected)
{
    struct text out = {0};
    markup_text(&out, text);
    assert_string_equal(out.data ? out.data : "", expected);
    text_clear(&out);
}

static void text_cannot_end_its_element(void **state)
{
    (void)state;
    assert_marked_up("</p><script>alert('x')&\"",
                     "&lt;/p&gt;&lt;script&gt;alert(&#39;x&#39;)&amp;&quot;");
    assert_marked_up("", "");
}

static void control_characters_and_direction_marks_are_replaced(void **state)
{
    (void)state;
    assert_marked_up("a\033[31mb\x7f", "a\ufffd[31mb\ufffd");
    assert_marked_up("x\u202ey\u2066z", "x\ufffdy\ufffdz");
    assert_marked_up("tab\tline\n", "tab\tline\n");
    assert_marked_up("\xff\xc3", "\ufffd\ufffd");
    assert_marked_up("héé \U0001f600", "héé \U0001f600");
}

static void json_cannot_end_a_script(void **state)
{
    (void)state;
    static const char json[] = "{\"a\":\"</script><!--\"}";
    struct text out = {0};
    markup_json(&out, json, strlen(json));
    assert_string_equal(out.data, "{\"a\":\"\\u003c/script>\\u003c!--\"}");
    text_clear(&out);
}

static void packing_gives_the_same_text_for_the_same_bytes(void **state)
{
    (void)state;
    struct text first = {0};
    struct text second = {0};
    markup_packed(&first, "hello hello hello", 17);
    markup_packed(&second, "hello hello hello", 17);
    assert_string_equal(first.data, second.data);
    assert_memory_equal(first.data, "H4sIAAAAAAAC", 12); // gzip, no name, no time
    assert_int_equal(first.len % 4, 0);
    text_clear(&first);
    text_clear(&second);
    markup_packed(&first, "", 0);
    assert_true(first.len > 0);
    text_clear(&first);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_cannot_end_its_element),
        cmocka_unit_test(control_characters_and_direction_marks_are_replaced),
        cmocka_unit_test(json_cannot_end_a_script),
        cmocka_unit_test(packing_gives_the_same_text_for_the_same_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
