// SPDX-License-Identifier: Apache-2.0
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "suggest/event.h"
#include "unit.h"

struct heard {
    struct text words;
    int ends;
};

static void read(void *context, const json_t *document)
{
    struct heard *heard = context;
    const char *word = json_string_value(json_object_get(document, "w"));
    text_format(&heard->words, "%s;", word ? word : "?");
}

static void read_end(void *context)
{
    ((struct heard *)context)->ends++;
}

// However the body is cut, the same is heard.
static void check(enum event_framing framing, const char *body, const char *words, int ends)
{
    size_t len = strlen(body);
    for (size_t step = 1; step <= len; step++) {
        struct heard heard = {0};
        struct event_reader reader = {
            .framing = framing, .context = &heard, .read = read, .read_end = read_end};
        for (size_t at = 0; at < len; at += step) {
            event_feed(&reader, body + at, len - at < step ? len - at : step);
        }
        event_end(&reader);
        assert_string_equal(heard.words.data ? heard.words.data : "", words);
        assert_int_equal(heard.ends, ends);
        assert_false(reader.is_broken);
        event_clear(&reader);
        text_clear(&heard.words);
    }
}

static void events_of_a_stream_are_heard_however_it_is_cut(void **state)
{
    (void)state;
    check(EVENT_SSE,
          ": comment\n\nevent: x\ndata: {\"w\": \"a\"}\n\ndata:{\"w\":\r\ndata: \"b\"}\r\n\r\n"
          "id: 1\ndata: [DONE]\n\n",
          "a;b;", 1);
    check(EVENT_SSE, "data: {\"w\": \"last\"}", "last;", 0);
    check(EVENT_LINES, "{\"w\": \"a\"}\n\n{\"w\": \"b\"}\r\n{\"w\": \"c\"}", "a;b;c;", 0);
    check(EVENT_WHOLE, "{\n\"w\":\n\"a\"\n}\n", "a;", 0);
}

static void who_cannot_stream_sends_a_whole(void **state)
{
    (void)state;
    check(EVENT_SSE, "{\n\"w\":\n\n\"a\"\n}\n", "a;", 0);
    check(EVENT_SSE, " \r\n{\"w\": \"data: b\"}", "data: b;", 0);
    check(EVENT_SSE, "\n\ndata: {\"w\": \"c\"}\n\n", "c;", 0);
}

static void what_is_no_json_is_noticed(void **state)
{
    (void)state;
    static const char *const bodies[] = {"data: {\n\n", "data: <html>\n\n", "data: nonsense\n\n",
                                         "<!DOCTYPE html>\n", "\n <html>data: {}\n\n"};
    for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++) {
        struct heard heard = {0};
        struct event_reader reader = {.context = &heard, .read = read, .read_end = read_end};
        event_feed(&reader, bodies[i], strlen(bodies[i]));
        assert_true(reader.is_broken);
        assert_null(heard.words.data);
        event_clear(&reader);
    }
}

static void one_document_is_bounded(void **state)
{
    (void)state;
    struct heard heard = {0};
    struct event_reader reader = {
        .framing = EVENT_LINES, .context = &heard, .read = read, .read_end = read_end};
    char block[65536];
    memset(block, 'x', sizeof block);
    for (size_t sent = 0; sent <= EVENT_MAX; sent += sizeof block) {
        event_feed(&reader, block, sizeof block);
    }
    assert_true(reader.is_too_long);
    assert_true(reader.line.len <= EVENT_MAX);
    event_clear(&reader);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(events_of_a_stream_are_heard_however_it_is_cut),
        cmocka_unit_test(who_cannot_stream_sends_a_whole),
        cmocka_unit_test(what_is_no_json_is_noticed),
        cmocka_unit_test(one_document_is_bounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
