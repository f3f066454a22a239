// SPDX-License-Identifier: Apache-2.0
#include <math.h>

#include "profile/utf8.h"
#include "profile/writer.h"
#include "unit.h"

static void values_are_indented_and_separated(void **state)
{
    (void)state;
    struct writer writer;
    writer_init(&writer, -1);
    writer_begin_object(&writer);
    writer_key(&writer, "a");
    writer_begin_list(&writer);
    writer_integer(&writer, -1);
    writer_bool(&writer, true);
    writer_end_list(&writer);
    writer_key(&writer, "b");
    writer_begin_object(&writer);
    writer_end_object(&writer);
    writer_key(&writer, "c");
    writer_text(&writer, NULL);
    writer_end_object(&writer);
    assert_true(writer_finish(&writer));
    assert_string_equal(writer.text.data, "{\n"
                                          "    \"a\": [\n"
                                          "        -1,\n"
                                          "        true\n"
                                          "    ],\n"
                                          "    \"b\": {},\n"
                                          "    \"c\": null\n"
                                          "}\n");
    writer_clear(&writer);
}

static void assert_text(const char *bytes, size_t len, const char *expected)
{
    struct writer writer;
    writer_init(&writer, -1);
    writer_text_bytes(&writer, bytes, len);
    assert_string_equal(writer.text.data, expected);
    writer_clear(&writer);
}

static void text_is_escaped_to_ascii(void **state)
{
    (void)state;
    assert_text("a\"\\\n\t\x01\x7f", 7, "\"a\\\"\\\\\\n\\t\\u0001\\u007f\"");
    assert_text("\xc3\xa4\xe4\xb8\xad\xf0\x9f\x98\x80", 9, "\"\\u00e4\\u4e2d\\ud83d\\ude00\"");
    assert_text("", 0, "\"\"");
    assert_text("a\0b", 3, "\"a\\u0000b\"");
}

static void broken_utf8_is_replaced(void **state)
{
    (void)state;
    assert_text("\xff", 1, "\"\\ufffd\"");
    assert_text("\xc3", 1, "\"\\ufffd\"");
    assert_text("\xc3(", 2, "\"\\ufffd(\"");
    assert_text("\xed\xa0\x80", 3, "\"\\ufffd\\ufffd\\ufffd\""); // a surrogate
    assert_text("\xc0\xaf", 2, "\"\\ufffd\\ufffd\"");            // too long a form
    assert_text("\xf4\x90\x80\x80", 4, "\"\\ufffd\\ufffd\\ufffd\\ufffd\"");
}

static void assert_real(double value, int decimals, const char *expected)
{
    struct writer writer;
    writer_init(&writer, -1);
    writer_real(&writer, value, decimals);
    assert_string_equal(writer.text.data, expected);
    writer_clear(&writer);
}

static void numbers_are_rounded_and_finite(void **state)
{
    (void)state;
    assert_real(0, 6, "0.0");
    assert_real(1, 1, "1.0");
    assert_real(-0.0, 6, "0.0");
    assert_real(-1.25, 6, "-1.25");
    assert_real(33.3333333, 6, "33.333333");
    assert_real(0.9999999, 6, "1.0");
    assert_real(1e-10, 9, "0.0");
    assert_real(0.000000001, 9, "0.000000001");
    assert_real(1731700000.123456, 6, "1731700000.123456");
    assert_real(NAN, 6, "0.0");
    assert_real(INFINITY, 6, "0.0");
    assert_real(-INFINITY, 6, "0.0");
    assert_real(1e300, 6, "1.00000000000000005e+300");
}

static void every_code_point_survives_encoding(void **state)
{
    (void)state;
    for (uint32_t point = 0; point < 0x110000; point++) {
        if (point >= 0xd800 && point <= 0xdfff) {
            continue;
        }
        char bytes[4];
        uint32_t back;
        size_t len = utf8_write(point, bytes);
        if (utf8_read(bytes, len, &back) != len || back != point) {
            fail_msg("U+%04X", point);
        }
    }
}

static void a_text_is_cut_between_its_characters(void **state)
{
    (void)state;
    static const char text[] = "a\u00e9\u20ac\U0001d11e"; // of one, two, three and four bytes
    static const size_t ends[] = {0, 1, 1, 3, 3, 3, 6, 6, 6, 6, 10, 10};
    for (size_t max = 0; max < sizeof ends / sizeof *ends; max++) {
        assert_int_equal(utf8_cut(text, sizeof text - 1, max), ends[max]);
    }
    assert_int_equal(utf8_cut("\xc3\xc3\xc3", 3, 2), 2); // each broken byte is one
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_are_indented_and_separated),
        cmocka_unit_test(text_is_escaped_to_ascii),
        cmocka_unit_test(broken_utf8_is_replaced),
        cmocka_unit_test(a_text_is_cut_between_its_characters),
        cmocka_unit_test(numbers_are_rounded_and_finite),
        cmocka_unit_test(every_code_point_survives_encoding),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
