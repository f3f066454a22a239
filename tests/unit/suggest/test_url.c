// SPDX-License-Identifier: Apache-2.0
#include <stdlib.h>
#include <string.h>

#include "suggest/url.h"
#include "unit.h"

static void only_addresses_of_the_web_are_taken(void **state)
{
    (void)state;
    static const char *const good[] = {"https://api.openai.com/v1", "http://localhost:1234",
                                       "http://[::1]:8000/v1?x=1"};
    static const char *const bad[] = {"",           "file:///etc/passwd",  "https://",
                                      "https:///x", "https://a:b@host/",   "https://host/a b",
                                      "ftp://host", "https://host/\r\nX:", "HTTPS://x"};
    struct error err;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        assert_true(url_check(good[i], &err));
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_false(url_check(bad[i], &err));
    }
}

static void this_computer_is_known_and_nothing_else_is(void **state)
{
    (void)state;
    static const char *const own[] = {"http://localhost", "http://LOCALHOST:1/x",
                                      "https://127.0.0.1:80/", "http://127.1.2.3",
                                      "http://[::1]:11434/api"};
    static const char *const others[] = {"http://localhost.evil.example",
                                         "http://127.0.0.1.nip.io",
                                         "http://evil.example/localhost",
                                         "https://localhosts",
                                         "http://[::2]",
                                         "http://128.0.0.1"};
    for (size_t i = 0; i < sizeof own / sizeof *own; i++) {
        assert_true(url_is_local(own[i]));
    }
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        assert_false(url_is_local(others[i]));
    }
}

static void names_are_encoded_for_a_path(void **state)
{
    (void)state;
    struct text out = {0};
    static const char name[] = "a-b_c.d~e:f/g h\xc3\xa9%";
    url_encode(&out, name, sizeof name - 1);
    assert_string_equal(out.data, "a-b_c.d~e%3Af%2Fg%20h%C3%A9%25");
    text_clear(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_addresses_of_the_web_are_taken),
        cmocka_unit_test(this_computer_is_known_and_nothing_else_is),
        cmocka_unit_test(names_are_encoded_for_a_path),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
