// SPDX-License-Identifier: Apache-2.0
// Anthropic's messages. No sampling parameters: this version of the protocol refuses them.

#include <string.h>

#include "suggest/provider.h"

#define VERSION    "2026-10-21"
#define TOKENS_MAX 8192

static const char *const key_variables[] = {"ANTHROPIC_API_KEY", NULL};
static const char *const address_variables[] = {"ANTHROPIC_BASE_URL", NULL};

static void add_place(struct provider_request *request, const struct access *access,
                      const char *place)
{
    text_format(&request->url, "%s%s", access->address, place);
    provider_add_header(request, "x-api-key", access->key);
    provider_add_header(request, "anthropic-version", VERSION);
}

static void ask(struct provider_request *request, const struct access *access,
                const struct prompt *prompt)
{
    add_place(request, access, "/v1/messages");
    provider_set_body(request,
                      json_pack("{s:s, s:i, s:s, s:[{s:s, s:s}], s:b}", "model", access->model,
                                "max_tokens", TOKENS_MAX, "system", prompt->system.data, "messages",
                                "role", "user", "content", prompt->user.data, "stream", 1));
}

static bool is_kind(const json_t *object, const char *kind)
{
    const char *type = json_string_value(json_object_get(object, "type"));
    return type && strcmp(type, kind) == 0;
}

// From a server that cannot stream.
static void read_whole(struct answer *answer, const json_t *message)
{
    const json_t *content = json_object_get(message, "content");
    for (size_t i = 0; i < json_array_size(content); i++) {
        const json_t *block = json_array_get(content, i);
        answer_add(answer, is_kind(block, "text") ? json_object_get(block, "text") : NULL);
    }
    answer_finish(answer, json_object_get(message, "stop_reason"), "end_turn", "max_tokens");
}

static void read(struct answer *answer, const json_t *document)
{
    const json_t *delta = json_object_get(document, "delta");
    if (is_kind(document, "content_block_delta")) {
        answer_add(answer, is_kind(delta, "text_delta") ? json_object_get(delta, "text") : NULL);
    } else if (is_kind(document, "message_delta")) {
        answer_finish(answer, json_object_get(delta, "stop_reason"), "end_turn", "max_tokens");
    } else if (is_kind(document, "message_stop")) {
        answer->is_finished = true;
    } else if (is_kind(document, "message")) {
        read_whole(answer, document);
    } else if (is_kind(document, "error")) {
        answer_read_problem(answer, document);
    }
}

static void ask_models(struct provider_request *request, const struct access *access)
{
    add_place(request, access, "/v1/models?limit=1000"); // a page of it has twenty otherwise
}

const struct provider provider_anthropic = {
    .name = "anthropic",
    .title = "Anthropic",
    .address = "https://api.anthropic.com",
    .model = "claude-sonnet-5-5",
    .key_variables = key_variables,
    .address_variables = address_variables,
    .needs_key = true,
    .framing = EVENT_SSE,
    .ask = ask,
    .read = read,
    .ask_models = ask_models,
    .models = {.list = "data", .name = "id"},
};
