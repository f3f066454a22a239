// SPDX-License-Identifier: Apache-2.0
#include "suggest/answer.h"

#include <string.h>
#include <strings.h>

#include "profile/utf8.h"

#define PROBLEM_MAX 8192 // bytes that are looked at
#define SHOWN_MAX   300
#define REASON_MAX  60

void answer_add(struct answer *answer, const json_t *text)
{
    size_t len = json_string_length(text);
    if (answer->text.len + len > ANSWER_MAX) {
        len = utf8_cut(json_string_value(text), len, ANSWER_MAX - answer->text.len);
        answer->is_too_long = true;
    }
    if (len > 0) {
        text_add_bytes(&answer->text, json_string_value(text), len);
    }
}

static bool set_problem(struct answer *answer, const json_t *text)
{
    const char *bytes = json_string_value(text);
    if (!bytes || !bytes[0]) {
        return false;
    }
    answer->problem.len = 0;
    text_add_bytes(&answer->problem, bytes, utf8_cut(bytes, strlen(bytes), PROBLEM_MAX));
    return true;
}

// {"error": {"message": ...}}, {"error": "..."}, {"message": ...}, {"detail": "..."},
// {"detail": [{"msg": ...}]}, and a list with one of these in it.
bool answer_read_problem(struct answer *answer, const json_t *root)
{
    const json_t *object = json_is_array(root) ? json_array_get(root, 0) : root;
    const json_t *error = json_object_get(object, "error");
    const json_t *detail = json_object_get(object, "detail");
    return set_problem(answer, json_object_get(error, "message")) || set_problem(answer, error) ||
           set_problem(answer, json_object_get(object, "message")) ||
           set_problem(answer, json_object_get(object, "Message")) || set_problem(answer, detail) ||
           set_problem(answer, json_object_get(json_array_get(detail, 0), "msg"));
}

void answer_tidy_problem(struct answer *answer, const struct access *access)
{
    access_hide_keys(access, &answer->problem);
    if (answer->problem.len > SHOWN_MAX) {
        answer->problem.len = utf8_cut(answer->problem.data, answer->problem.len, SHOWN_MAX);
        text_add(&answer->problem, " ...");
    }
}

void answer_finish(struct answer *answer, const json_t *reason, const char *good, const char *cut)
{
    const char *word = json_string_value(reason);
    if (!word || !word[0]) {
        return;
    }
    answer->is_finished = true;
    answer->is_cut |= strcasecmp(word, cut) == 0;
    if (strcasecmp(word, good) != 0 && strcasecmp(word, cut) != 0) {
        answer->problem.len = 0;
        text_format(&answer->problem, "the model stopped: %.*s",
                    (int)utf8_cut(word, strlen(word), REASON_MAX), word);
    }
}

void answer_clear(struct answer *answer)
{
    text_clear(&answer->text);
    text_clear(&answer->problem);
    *answer = (struct answer){0};
}
