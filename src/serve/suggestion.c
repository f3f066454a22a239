// SPDX-License-Identifier: Apache-2.0
#include "serve/suggestion.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "suggest/diff.h"
#include "suggest/patch.h"
#include "suggest/replacement.h"
#include "suggest/url.h"

#define BLOCK_SIZE 4096

// Takes the document; adds it as one line.
static void add_line(struct text *out, json_t *document)
{
    char *bytes = document ? json_dumps(document, JSON_COMPACT) : NULL;
    text_add(out, bytes ? bytes : "{}");
    text_add_char(out, '\n');
    free(bytes);
    json_decref(document);
}

// The texts may not be whole UTF-8, which jansson would refuse.
static json_t *json_of(const char *bytes, size_t len)
{
    json_t *text = json_stringn(bytes, len);
    return text ? text : json_string("(this text is not UTF-8)");
}

static struct MHD_Response *respond_once(const struct suggestion_desk *desk, json_t *document)
{
    struct text line = {0};
    add_line(&line, document);
    return desk->library->MHD_create_response_from_buffer(line.len, line.data,
                                                          MHD_RESPMEM_MUST_FREE);
}

static json_t *describe(const struct provider *provider)
{
    json_t *variables = json_array();
    for (size_t i = 0; provider->key_variables[i]; i++) {
        json_array_append_new(variables, json_string(provider->key_variables[i]));
    }
    const char *own = access_variable(provider->address_variables);
    bool has_key = access_variable(provider->key_variables) != NULL;
    return json_pack("{s:s, s:s, s:s, s:s, s:b, s:b, s:s, s:o}", "name", provider->name, "title",
                     provider->title, "model", provider->model ? provider->model : "", "address",
                     own                 ? own
                     : provider->address ? provider->address
                                         : "",
                     "needs_key", provider->needs_key, "has_key", has_key, "key_note",
                     provider->key_note ? provider->key_note : "", "key_variables", variables);
}

struct MHD_Response *suggestion_providers(const struct suggestion_desk *desk)
{
    json_t *list = json_array();
    const struct provider *usual = provider_default();
    for (size_t i = 0; i < PROVIDER_COUNT; i++) {
        json_array_append_new(list, describe(providers[i]));
    }
    return respond_once(
        desk, json_pack("{s:o, s:s}", "providers", list, "default", usual ? usual->name : ""));
}

static json_t *problem_of(const char *sentence)
{
    return json_pack("{s:o}", "problem", json_of(sentence, strlen(sentence)));
}

static json_t *describe_question(const struct question *question)
{
    struct text destination = {0};
    exchange_add_destination(&destination, question->provider, &question->access,
                             &question->prompt);
    json_t *document =
        json_pack("{s:s, s:b, s:s, s:o, s:o, s:i, s:i}", "destination", destination.data,
                  "is_local", url_is_local(destination.data), "model", question->access.model,
                  "system", json_of(question->prompt.system.data, question->prompt.system.len),
                  "user", json_of(question->prompt.user.data, question->prompt.user.len), "first",
                  question->region.first, "last", question->region.last);
    text_clear(&destination);
    return document;
}

struct MHD_Response *suggestion_prompt(const struct suggestion_desk *desk, const struct text *body)
{
    struct question question;
    struct error err;
    if (!question_read(&question, desk->profile, desk->files, body, false, &err)) {
        return respond_once(desk, problem_of(err.text));
    }
    json_t *document = describe_question(&question);
    question_clear(&question);
    return respond_once(desk, document);
}

static void wake(struct suggestion *suggestion)
{
    if (suggestion->connection && suggestion->is_suspended) {
        suggestion->is_suspended = false;
        suggestion->desk->library->MHD_resume_connection(suggestion->connection);
    }
}

static void hear(void *context, const char *piece, size_t len)
{
    struct suggestion *suggestion = context;
    const char *key = suggestion->question.has_region ? "text" : "model";
    text_add_bytes(&suggestion->answer, piece, len);
    add_line(&suggestion->pending, json_pack("{s:o}", key, json_of(piece, len)));
    wake(suggestion);
}

static json_t *describe_row(const struct diff_row *row)
{
    size_t len = row->len;
    while (len > 0 && strchr("\r\n", row->text[len - 1])) {
        len--;
    }
    return json_pack("{s:s, s:i, s:i, s:o}", "kind",
                     row->kind == DIFF_SAME      ? "same"
                     : row->kind == DIFF_REMOVED ? "removed"
                                                 : "added",
                     "old", row->old_line, "new", row->new_line, "text", json_of(row->text, len));
}

// What the answer changes, as rows to show and as a patch to keep.
static json_t *describe_change(const struct suggestion *suggestion, struct error *err)
{
    const struct region *region = &suggestion->question.region;
    struct text code = {0};
    struct text patch = {0};
    struct diff diff;
    const char *answer = suggestion->answer.data ? suggestion->answer.data : "";
    if (!replacement_read(&code, answer, region, err)) {
        text_clear(&code);
        return NULL;
    }
    diff_make(&diff, region, code.data, code.len);
    patch_add(&patch, &diff, 1, suggestion->desk->profile->program_dir);
    json_t *rows = json_array();
    for (size_t i = 0; i < diff.count; i++) {
        json_array_append_new(rows, describe_row(&diff.rows[i]));
    }
    json_t *document =
        json_pack("{s:o, s:o, s:o}", "rows", rows, "code", json_of(code.data, code.len), "patch",
                  json_of(patch.data ? patch.data : "", patch.len));
    diff_clear(&diff);
    text_clear(&patch);
    text_clear(&code);
    return document;
}

static void end(void *context, const char *problem, bool is_cut)
{
    struct suggestion *suggestion = context;
    struct error err = {.text = ""};
    suggestion->exchange = NULL;
    if (!problem && suggestion->question.has_region) {
        json_t *change = describe_change(suggestion, &err);
        if (change) {
            add_line(&suggestion->pending, change);
        }
        problem = !change  ? err.text
                  : is_cut ? "The answer was cut at the length that the provider allows, so the "
                             "change is incomplete."
                           : NULL;
    }
    if (problem) {
        add_line(&suggestion->pending, problem_of(problem));
    }
    add_line(&suggestion->pending, json_pack("{s:b}", "done", 1));
    wake(suggestion);
}

static ssize_t read_stream(void *context, uint64_t position, char *buf, size_t size)
{
    struct suggestion *suggestion = context;
    double now_s = suggestion->desk->now_s();
    size_t left = suggestion->pending.len - suggestion->sent;
    (void)position;
    if (left > 0) {
        size_t len = left < size ? left : size;
        memcpy(buf, suggestion->pending.data + suggestion->sent, len);
        suggestion->sent += len;
        return (ssize_t)len;
    }
    if (!suggestion->exchange) {
        return MHD_CONTENT_READER_END_OF_STREAM;
    }
    if (now_s < suggestion->next_beat_s) {
        suggestion->is_suspended = true;
        suggestion->desk->library->MHD_suspend_connection(suggestion->connection);
        return 0;
    }
    suggestion->next_beat_s = now_s + SUGGESTION_BEAT_S;
    buf[0] = '\n';
    return 1;
}

static void close_stream(void *context)
{
    struct suggestion *suggestion = context;
    if (suggestion->exchange) {
        exchange_cancel(suggestion->exchange);
    }
    question_clear(&suggestion->question);
    text_clear(&suggestion->answer);
    text_clear(&suggestion->pending);
    *suggestion = (struct suggestion){0};
}

static struct suggestion *find_free(struct suggestion_desk *desk)
{
    for (size_t i = 0; i < SUGGESTION_MAX; i++) {
        if (!desk->suggestions[i].connection) {
            return &desk->suggestions[i];
        }
    }
    return NULL;
}

static bool start(struct suggestion *suggestion, const struct text *body, bool is_about_models,
                  struct error *err)
{
    struct suggestion_desk *desk = suggestion->desk;
    struct question *question = &suggestion->question;
    if (!question_read(question, desk->profile, desk->files, body, is_about_models, err) ||
        (!desk->board && !switchboard_open(&desk->board, err))) {
        return false;
    }
    suggestion->exchange =
        exchange_start(desk->board, &question->access,
                       &(struct exchange_plan){
                           .provider = question->provider,
                           .prompt = is_about_models ? NULL : &question->prompt,
                           .listener = {.context = suggestion, .said = hear, .ended = end},
                       },
                       err);
    return suggestion->exchange != NULL;
}

struct MHD_Response *suggestion_open(struct suggestion_desk *desk,
                                     struct MHD_Connection *connection, const struct text *body,
                                     bool is_about_models)
{
    struct suggestion *suggestion = find_free(desk);
    struct error err;
    if (!suggestion) {
        return respond_once(desk, problem_of("Four questions are open already: wait for one of "
                                             "them, or cancel it."));
    }
    *suggestion = (struct suggestion){.desk = desk, .connection = connection};
    if (!start(suggestion, body, is_about_models, &err)) {
        close_stream(suggestion);
        return respond_once(desk, problem_of(err.text));
    }
    return desk->library->MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, BLOCK_SIZE,
                                                            read_stream, suggestion, close_stream);
}

static bool is_idle(const struct suggestion_desk *desk)
{
    return !desk->board || switchboard_is_idle(desk->board);
}

void suggestion_wait(struct suggestion_desk *desk, const struct pollfd *others, size_t count,
                     int timeout_ms)
{
    const int beat_ms = (int)(SUGGESTION_BEAT_S * 1000);
    if (is_idle(desk)) {
        poll((struct pollfd *)others, count, timeout_ms);
    } else {
        switchboard_wait(desk->board, others, count, timeout_ms < beat_ms ? timeout_ms : beat_ms);
    }
}

void suggestion_run(struct suggestion_desk *desk)
{
    if (is_idle(desk)) {
        return;
    }
    switchboard_run(desk->board);
    for (size_t i = 0; i < SUGGESTION_MAX; i++) {
        struct suggestion *suggestion = &desk->suggestions[i];
        if (suggestion->connection && desk->now_s() >= suggestion->next_beat_s) {
            wake(suggestion);
        }
    }
}

void suggestion_end_all(struct suggestion_desk *desk)
{
    for (size_t i = 0; i < SUGGESTION_MAX; i++) {
        struct suggestion *suggestion = &desk->suggestions[i];
        if (suggestion->exchange) {
            exchange_cancel(suggestion->exchange);
            end(suggestion, "The server has ended.", false);
        }
    }
}

void suggestion_close(struct suggestion_desk *desk)
{
    if (desk->board) {
        switchboard_close(desk->board);
    }
}
