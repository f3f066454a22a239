// SPDX-License-Identifier: Apache-2.0
// Azure OpenAI: OpenAI's protocol at the user's own address, where a model is a deployment.

#include "suggest/chat.h"
#include "suggest/provider.h"

static const char *const key_variables[] = {"AZURE_OPENAI_API_KEY", NULL};
static const char *const address_variables[] = {"AZURE_OPENAI_ENDPOINT", NULL};

static void ask(struct provider_request *request, const struct access *access,
                const struct prompt *prompt)
{
    text_format(&request->url, "%s/openai/v1/chat/completions", access->address);
    provider_add_header(request, "api-key", access->key);
    provider_set_body(request, chat_document(access->model, prompt));
}

static void ask_models(struct provider_request *request, const struct access *access)
{
    text_format(&request->url, "%s/openai/v1/models", access->address);
    provider_add_header(request, "api-key", access->key);
}

const struct provider provider_azure = {
    .name = "azure",
    .title = "Azure OpenAI",
    .model = "gpt-6.1-sol",
    .key_variables = key_variables,
    .address_variables = address_variables,
    .needs_key = true,
    .framing = EVENT_SSE,
    .ask = ask,
    .read = chat_read,
    .ask_models = ask_models,
    .models = {.list = "data", .name = "id"},
};
