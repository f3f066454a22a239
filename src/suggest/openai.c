// SPDX-License-Identifier: Apache-2.0
// OpenAI, and every server that speaks its protocol: LM Studio, vLLM, llama.cpp, Ollama's /v1.

#include <string.h>

#include "suggest/chat.h"
#include "suggest/provider.h"
#include "suggest/url.h"

#define ADDRESS "https://api.openai.com/v1"

static const char *const key_variables[] = {"OPENAI_API_KEY", NULL};
static const char *const address_variables[] = {"OPENAI_BASE_URL", NULL};

// An address that is only a host means the usual place on it.
static void add_place(struct provider_request *request, const struct access *access,
                      const char *place)
{
    text_format(&request->url, "%s%s%s", access->address,
                url_has_path(access->address) ? "" : "/v1", place);
    if (access->key) {
        provider_add_bearer(request, access->key);
    }
}

static void ask(struct provider_request *request, const struct access *access,
                const struct prompt *prompt)
{
    add_place(request, access, "/chat/completions");
    provider_set_body(request, chat_document(access->model, prompt));
}

static void ask_models(struct provider_request *request, const struct access *access)
{
    add_place(request, access, "/models");
}

const struct provider provider_openai = {
    .name = "openai",
    .title = "OpenAI, or a server that speaks its protocol",
    .address = ADDRESS,
    .model = "gpt-6.1-sol",
    .key_variables = key_variables,
    .address_variables = address_variables,
    .framing = EVENT_SSE,
    .ask = ask,
    .read = chat_read,
    .ask_models = ask_models,
    .models = {.list = "data", .name = "id"},
};
