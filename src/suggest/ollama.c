// SPDX-License-Identifier: Apache-2.0
// Ollama: models on the user's own computer. A document a line, the last one says that it is done.

#include <stdlib.h>
#include <string.h>

#include "suggest/chat.h"
#include "suggest/provider.h"

#define PORT           ":11434"
#define CONTEXT_TOKENS 16384 // its default would cut the prompt

static const char *const key_variables[] = {"OLLAMA_API_KEY", NULL};
static const char *const address_variables[] = {"OLLAMA_HOST", NULL};

static bool is_host(const char *host, size_t len, const char *name)
{
    return strlen(name) == len && memcmp(host, name, len) == 0;
}

// OLLAMA_HOST is written for its server too: without a port it means Ollama's own, and where a
// server listens on all networks is, for who asks, this computer.
static void add_address(struct text *out, const char *address, bool has_scheme)
{
    const char *host = strstr(address, "://") + strlen("://");
    size_t whole = strcspn(host, "/?#");
    size_t len = host[0] == '[' ? strcspn(host, "]") + 1 : strcspn(host, ":/?#");
    len = len < whole ? len : whole;
    text_add_bytes(out, address, (size_t)(host - address));
    if (len == 0 || is_host(host, len, "0.0.0.0")) {
        text_add(out, "127.0.0.1");
    } else if (is_host(host, len, "[::]")) {
        text_add(out, "[::1]");
    } else {
        text_add_bytes(out, host, len);
    }
    text_add(out, has_scheme || len < whole ? "" : PORT);
    text_add(out, host + len);
}

static bool complete(struct access *access, const struct access_wish *wish, struct error *err)
{
    bool is_own = wish->address && wish->address[0];
    const char *given = is_own ? wish->address : access_variable(address_variables);
    struct text address = {0};
    (void)err;
    if (given) {
        add_address(&address, access->address, strstr(given, "://") != NULL);
        free(access->address);
        access->address = address.data;
    }
    return true;
}

static void add_place(struct provider_request *request, const struct access *access,
                      const char *place)
{
    text_format(&request->url, "%s%s", access->address, place);
    if (access->key) {
        provider_add_bearer(request, access->key);
    }
}

static void ask(struct provider_request *request, const struct access *access,
                const struct prompt *prompt)
{
    add_place(request, access, "/api/chat");
    json_t *document = chat_document(access->model, prompt);
    json_object_set_new(document, "options", json_pack("{s:i}", "num_ctx", CONTEXT_TOKENS));
    provider_set_body(request, document);
}

static void read(struct answer *answer, const json_t *document)
{
    const json_t *reason = json_object_get(document, "done_reason");
    answer_add(answer, json_object_get(json_object_get(document, "message"), "content"));
    answer_read_problem(answer, document);
    if (json_is_true(json_object_get(document, "done"))) {
        answer_finish(answer, reason, "stop", "length");
        answer->is_finished = true;
    }
}

static void ask_models(struct provider_request *request, const struct access *access)
{
    add_place(request, access, "/api/tags");
}

const struct provider provider_ollama = {
    .name = "ollama",
    .title = "Ollama",
    .address = "http://localhost:11434",
    .model = "qwen3-coder",
    .key_variables = key_variables,
    .address_variables = address_variables,
    .framing = EVENT_LINES,
    .complete = complete,
    .ask = ask,
    .read = read,
    .ask_models = ask_models,
    .models = {.list = "models", .name = "name"},
};
