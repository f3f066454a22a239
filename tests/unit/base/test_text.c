// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "base/text.h"
#include "unit.h"

static void a_fresh_text_has_no_data(void **state)
{
    (void)state;
    struct text text = {0};
    assert_null(text.data);
    text_clear(&text);
    text_add(&text, "");
    assert_string_equal(text.data, "");
    text_clear(&text);
    assert_null(text.data);
}

static void pieces_are_joined_in_order(void **state)
{
    (void)state;
    struct text text = {0};
    text_add(&text, "one ");
    text_add_char(&text, '2');
    text_format(&text, " %s %d", "three", 4);
    text_add_bytes(&text, "\0five", 5);
    assert_int_equal(text.len, 18);
    assert_memory_equal(text.data, "one 2 three 4\0five", 18);
    assert_int_equal(text.data[text.len], '\0');
    text_clear(&text);
}

static void a_long_text_is_kept_whole(void **state)
{
    (void)state;
    struct text text = {0};
    for (int i = 0; i < 10000; i++) {
        text_format(&text, "%07d\n", i);
    }
    assert_int_equal(text.len, 80000);
    assert_int_equal(strlen(text.data), 80000);
    assert_memory_equal(text.data + 8 * 9999, "0009999\n", 8);
    text_clear(&text);
}

static void one_formatted_piece_may_be_longer_than_the_text_so_far(void **state)
{
    (void)state;
    struct text text = {0};
    char piece[5001];
    memset(piece, 'z', 5000);
    piece[5000] = '\0';
    text_add(&text, "a");
    text_format(&text, "%s%s", piece, piece);
    assert_int_equal(text.len, 10001);
    assert_int_equal(text.data[10000], 'z');
    text_clear(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_fresh_text_has_no_data),
        cmocka_unit_test(pieces_are_joined_in_order),
        cmocka_unit_test(a_long_text_is_kept_whole),
        cmocka_unit_test(one_formatted_piece_may_be_longer_than_the_text_so_far),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
