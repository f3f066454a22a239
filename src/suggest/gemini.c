// SPDX-License-Identifier: Apache-2.0
// Google's Gemini. Its key goes into a header, never into the address, which proxies write down.

#include <string.h>

#include "suggest/provider.h"
#include "suggest/url.h"

#define TOKENS_MAX 8192

static const char *const key_variables[] = {"GEMINI_API_KEY", "GOOGLE_API_KEY", NULL};

static void ask(struct provider_request *request, const struct access *access,
                const struct prompt *prompt)
{
    text_format(&request->url, "%s/v1beta/models/", access->address);
    url_encode(&request->url, access->model, strlen(access->model));
    text_add(&request->url, ":streamGenerateContent?alt=sse");
    provider_add_header(request, "x-goog-api-key", access->key);
    provider_set_body(request,
                      json_pack("{s:[{s:s, s:[{s:s}]}], s:{s:[{s:s}]}, s:{s:i}}", "contents",
                                "role", "user", "parts", "text", prompt->user.data,
                                "systemInstruction", "parts", "text", prompt->system.data,
                                "generationConfig", "maxOutputTokens", TOKENS_MAX));
}

static void read(struct answer *answer, const json_t *document)
{
    const json_t *candidate = json_array_get(json_object_get(document, "candidates"), 0);
    const json_t *parts = json_object_get(json_object_get(candidate, "content"), "parts");
    const json_t *refusal =
        json_object_get(json_object_get(document, "promptFeedback"), "blockReason");
    for (size_t i = 0; i < json_array_size(parts); i++) {
        const json_t *part = json_array_get(parts, i);
        if (!json_is_true(json_object_get(part, "thought"))) {
            answer_add(answer, json_object_get(part, "text"));
        }
    }
    answer_finish(answer, json_object_get(candidate, "finishReason"), "STOP", "MAX_TOKENS");
    answer_finish(answer, refusal, "", "");
    answer_read_problem(answer, document);
}

static void ask_models(struct provider_request *request, const struct access *access)
{
    text_format(&request->url, "%s/v1beta/models?pageSize=1000", access->address);
    provider_add_header(request, "x-goog-api-key", access->key);
}

const struct provider provider_gemini = {
    .name = "gemini",
    .title = "Google Gemini",
    .address = "https://generativelanguage.googleapis.com",
    .model = "gemini-3.8-flash",
    .key_variables = key_variables,
    .needs_key = true,
    .framing = EVENT_SSE,
    .ask = ask,
    .read = read,
    .ask_models = ask_models,
    .models = {.list = "models",
               .name = "name",
               .prefix = "models/",
               .uses = "supportedGenerationMethods",
               .use = "generateContent"},
};
