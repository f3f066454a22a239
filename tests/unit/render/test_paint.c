// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "profile/amount.h"
#include "render/paint.h"
#include "render/sentence.h"
#include "unit.h"

static struct text out;
static struct canvas canvas;

static int begin(void **state)
{
    (void)state;
    canvas = (struct canvas){.out = &out, .width = 20, .is_utf8 = true};
    paint_begin(&canvas);
    return 0;
}

static int end(void **state)
{
    (void)state;
    paint_end(&canvas);
    text_clear(&out);
    return 0;
}

static void assert_clipped(const char *text, size_t width, const char *expected, size_t columns)
{
    out.len = 0;
    text_add(&out, "");
    assert_int_equal(paint_clipped(&canvas, text, strlen(text), width), columns);
    assert_string_equal(out.data, expected);
}

static void long_text_is_clipped_with_an_ellipsis(void **state)
{
    (void)state;
    assert_clipped("abc", 3, "abc", 3);
    assert_clipped("abcd", 3, "ab…", 3);
    assert_clipped("abcd", 0, "", 0);
    canvas.is_utf8 = false;
    assert_clipped("abcdefgh", 6, "abc...", 6);
    assert_clipped("abcdefgh", 2, "ab", 2);
}

static void wide_and_combining_characters_are_counted(void **state)
{
    (void)state;
    assert_clipped("中文字", 6, "中文字", 6);
    assert_clipped("中文字", 5, "中文…", 5);
    assert_clipped("中文字", 4, "中…", 3);
    assert_clipped("e\xcc\x81x", 2, "e\xcc\x81x", 2);
}

static void tabs_go_to_the_next_stop(void **state)
{
    (void)state;
    assert_clipped("\tx", 9, "    x", 5);
    assert_clipped("ab\tx", 9, "ab  x", 5);
}

static void control_characters_never_reach_the_terminal(void **state)
{
    (void)state;
    assert_clipped("\033[31mx", 20, "␛[31mx", 6);
    assert_clipped("a\rb\x7f", 20, "a␍b\xef\xbf\xbd", 4);
    assert_clipped("\xc2\x9b"
                   "31m",
                   20,
                   "\xef\xbf\xbd"
                   "31m",
                   4); // the one-character form of ESC [
    assert_clipped("a\xe2\x80\xae"
                   "b",
                   20,
                   "a\xef\xbf\xbd"
                   "b",
                   3); // reverses the reading order
    assert_clipped("\xff\xfe", 20, "\xef\xbf\xbd\xef\xbf\xbd", 2);
    canvas.is_utf8 = false;
    assert_clipped("\033ä中", 20, "???", 3);
}

static void of_a_long_path_the_end_is_kept(void **state)
{
    (void)state;
    const char *path = "/home/user/project/module.py";
    out.len = 0;
    assert_int_equal(paint_clipped_left(&canvas, path, strlen(path), 12), 12);
    assert_string_equal(out.data, "…t/module.py");
}

static void sentences_break_between_words(void **state)
{
    (void)state;
    out.len = 0;
    paint_wrapped(&canvas, PAINT_PLAIN, "one two three four five averyveryverylongwordindeed", 5,
                  2);
    assert_string_equal(out.data, "one two three\n"
                                  "  four five\n"
                                  "  averyveryverylong…\n");
}

static void colours_are_plain_sgr_and_end(void **state)
{
    (void)state;
    canvas.has_color = true;
    out.len = 0;
    paint_right(&canvas, PAINT_HOT, "9%", 4);
    assert_string_equal(out.data, "  \033[1;31m9%\033[0m");
    out.len = 0;
    paint_right(&canvas, PAINT_HOT, "", 2);
    assert_string_equal(out.data, "  ");
}

static void assert_words(void (*add)(struct text *, double), double value, const char *expected)
{
    struct text text = {0};
    text_add(&text, "");
    add(&text, value);
    assert_string_equal(text.data, expected);
    text_clear(&text);
}

static void durations_are_as_the_original_writes_them(void **state)
{
    (void)state;
    assert_words(sentence_duration, 0.0095, "9.500ms");
    assert_words(sentence_duration, 5, "5.000s");
    assert_words(sentence_duration, 65, "1m:5.000s");
    assert_words(sentence_duration, 3665.5, "1h:1m:5.500s");
    assert_words(sentence_duration, 3600, "1h:0m:0.000s");
    assert_words(sentence_duration, 59.9999, "1m:0.000s");
    assert_words(sentence_duration, 0.9999999, "1.000s");
}

static void short_durations_have_three_digits(void **state)
{
    (void)state;
    assert_words(amount_duration, 0.0001, "<1ms");
    assert_words(amount_duration, 0.0854, "85ms");
    assert_words(amount_duration, 0.0999, "0.10s");
    assert_words(amount_duration, 9.999, "10.0s");
    assert_words(amount_duration, 99.97, "100s");
    assert_words(amount_duration, 3600, "60m");
    assert_words(amount_duration, 86400, "24h");
}

static void small_shares_are_not_blank(void **state)
{
    (void)state;
    assert_words(amount_percent, 100, "100%");
    assert_words(amount_percent, 0.96, "1%");
    assert_words(amount_percent, 0.94, "0.9%");
    assert_words(amount_percent, 0.01, "<0.1%");
    assert_words(amount_percent, 0, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(long_text_is_clipped_with_an_ellipsis, begin, end),
        cmocka_unit_test_setup_teardown(wide_and_combining_characters_are_counted, begin, end),
        cmocka_unit_test_setup_teardown(tabs_go_to_the_next_stop, begin, end),
        cmocka_unit_test_setup_teardown(control_characters_never_reach_the_terminal, begin, end),
        cmocka_unit_test_setup_teardown(of_a_long_path_the_end_is_kept, begin, end),
        cmocka_unit_test_setup_teardown(sentences_break_between_words, begin, end),
        cmocka_unit_test_setup_teardown(colours_are_plain_sgr_and_end, begin, end),
        cmocka_unit_test(durations_are_as_the_original_writes_them),
        cmocka_unit_test(short_durations_have_three_digits),
        cmocka_unit_test(small_shares_are_not_blank),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
