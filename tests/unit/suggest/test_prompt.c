// SPDX-License-Identifier: Apache-2.0
// From a region to what is sent about it.
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "suggest/prompt.h"
#include "suggest/provider.h"
#include "unit.h"

static struct profile_file file = {.path = (char *)"/p/q/a.py"};
static const struct access access_to_one = {
    .address = (char *)"http://localhost", .model = (char *)"m", .key = (char *)"k"};

// The prompt for one line of a text, which the caller clears.
static struct prompt prompt_for(const char *text, size_t len, int line, const char *instructions)
{
    const struct profile profile = {.python_version = (char *)"3.12.1"};
    const struct prompt_options options = {.instructions = instructions};
    struct region region = {.file = &file, .line = line, .first = line, .last = line};
    struct prompt prompt;
    source_from_text(&region.source, text, len);
    prompt_write(&prompt, &profile, &region, &options);
    source_clear(&region.source);
    return prompt;
}

// Whether every provider can send it.
static bool can_be_sent(const struct prompt *prompt)
{
    bool is_sent = true;
    for (size_t i = 0; i < PROVIDER_COUNT; i++) {
        struct provider_request request = {0};
        struct error err;
        is_sent &= provider_write_request(&request, providers[i], &access_to_one, prompt, &err);
        provider_request_clear(&request);
    }
    return is_sent;
}

static void long_texts_are_cut_between_characters(void **state)
{
    (void)state;
    struct text source = {0};
    struct text instructions = {0};
    text_add(&source, "s = '"); // an odd number of bytes before characters of two
    text_add(&instructions, "x");
    for (int i = 0; i < 2000; i++) {
        text_add(&source, "\u00e9");
        text_add(&instructions, "\u00e9");
    }
    text_add(&source, "'\nwork()\n");
    struct prompt prompt = prompt_for(source.data, source.len, 2, instructions.data);
    json_t *text = json_stringn(prompt.user.data, prompt.user.len);
    assert_non_null(text);
    assert_non_null(strstr(prompt.user.data, "s = '\u00e9"));
    assert_non_null(strstr(prompt.user.data, "\u00e9 ...\n"));
    assert_non_null(strstr(prompt.user.data, "Also: x\u00e9"));
    assert_true(can_be_sent(&prompt));
    json_decref(text);
    prompt_clear(&prompt);
    text_clear(&source);
    text_clear(&instructions);
}

static void what_is_no_text_is_replaced(void **state)
{
    (void)state;
    static const char source[] = "a = '\xe9'\nb = '\0'\nwork()\n";
    struct prompt prompt = prompt_for(source, sizeof source - 1, 3, "\xff!");
    assert_int_equal(strlen(prompt.user.data), prompt.user.len);
    assert_non_null(strstr(prompt.user.data, "a = '\ufffd'\nb = '\ufffd'\n# >>>"));
    assert_non_null(strstr(prompt.user.data, "Also: \ufffd!\n"));
    assert_true(can_be_sent(&prompt));
    prompt_clear(&prompt);
}

static void what_does_not_fit_into_json_is_not_sent(void **state)
{
    (void)state;
    struct prompt prompt = {0};
    text_add(&prompt.system, "s");
    text_add(&prompt.user, "\xff");
    for (size_t i = 0; i < PROVIDER_COUNT; i++) {
        struct provider_request request = {0};
        struct error err;
        assert_false(provider_write_request(&request, providers[i], &access_to_one, &prompt, &err));
        assert_int_equal(request.body.len, 0);
        provider_request_clear(&request);
    }
    prompt_clear(&prompt);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(long_texts_are_cut_between_characters),
        cmocka_unit_test(what_is_no_text_is_replaced),
        cmocka_unit_test(what_does_not_fit_into_json_is_not_sent),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
