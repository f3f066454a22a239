// SPDX-License-Identifier: Apache-2.0
// Amazon Bedrock's Converse: answers as a whole, since its streams are of a binary kind of their
// own. A request has either an API key, or a signature by an access key.

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/mem.h"
#include "suggest/provider.h"
#include "suggest/sigv4.h"
#include "suggest/url.h"

#define TOKENS_MAX 8192
#define REGION     "us-east-1"
#define SERVICE    "bedrock" // though the host is called bedrock-runtime

static const char *const key_variables[] = {"AWS_BEARER_TOKEN_BEDROCK", "AWS_SECRET_ACCESS_KEY",
                                            NULL};
static const char *const address_variables[] = {"AWS_ENDPOINT_URL_BEDROCK_RUNTIME", NULL};

static char *copy_variable(const char *name)
{
    const char *value = getenv(name);
    return value && value[0] ? mem_copy_text(value) : NULL;
}

static bool is_host_name(const char *text)
{
    size_t len = strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789-");
    return len > 0 && len < 64 && text[len] == '\0';
}

// A secret that signs is never sent: without the name of the key that it belongs to it is of no
// use.
static bool complete(struct access *access, const struct access_wish *wish, struct error *err)
{
    static const char *const region_variables[] = {"AWS_DEFAULT_REGION", "AWS_REGION", NULL};
    const char *bearer = getenv("AWS_BEARER_TOKEN_BEDROCK");
    const char *region = access_variable(region_variables);
    bool is_signing = access->key && !(wish->key && wish->key[0]) && !(bearer && bearer[0]);
    access->region = mem_copy_text(region && is_host_name(region) ? region : REGION);
    if (is_signing) {
        access->key_id = copy_variable("AWS_ACCESS_KEY_ID");
        access->session_token = copy_variable("AWS_SESSION_TOKEN");
    }
    if (is_signing && !access->key_id) {
        return error_set(err, "AWS_SECRET_ACCESS_KEY signs for a key that has a name: set "
                              "AWS_ACCESS_KEY_ID too");
    }
    if (!access->address) {
        struct text address = {0};
        text_format(&address, "https://bedrock-runtime.%s.amazonaws.com", access->region);
        access->address = address.data;
    }
    return true;
}

static void add_time(char time_text[SIGV4_TIME_SIZE])
{
    time_t now = time(NULL);
    struct tm utc;
    gmtime_r(&now, &utc);
    strftime(time_text, SIGV4_TIME_SIZE, "%Y%m%dT%H%M%SZ", &utc);
}

static void sign(struct provider_request *request, const struct access *access, const char *path)
{
    struct text host = {0};
    struct text authorization = {0};
    char time_text[SIGV4_TIME_SIZE];
    url_add_host(&host, request->url.data);
    add_time(time_text);
    sigv4_sign(&authorization, &(struct sigv4_request){
                                   .method = request->body.len > 0 ? "POST" : "GET",
                                   .host = host.data,
                                   .path = path,
                                   .body = request->body.data,
                                   .body_len = request->body.len,
                                   .time = time_text,
                                   .region = access->region,
                                   .service = SERVICE,
                                   .key_id = access->key_id,
                                   .secret = access->key,
                                   .session_token = access->session_token,
                               });
    provider_add_header(request, "Authorization", authorization.data);
    provider_add_header(request, "X-Amz-Date", time_text);
    if (access->session_token) {
        provider_add_header(request, "X-Amz-Security-Token", access->session_token);
    }
    text_clear(&authorization);
    text_clear(&host);
}

static void authorize(struct provider_request *request, const struct access *access,
                      const char *path)
{
    if (access->key_id) {
        sign(request, access, path);
    } else {
        provider_add_bearer(request, access->key);
    }
}

static void ask(struct provider_request *request, const struct access *access,
                const struct prompt *prompt)
{
    struct text path = {0};
    text_add(&path, "/model/");
    url_encode(&path, access->model, strlen(access->model));
    text_add(&path, "/converse");
    text_format(&request->url, "%s%s", access->address, path.data);
    provider_set_body(request,
                      json_pack("{s:[{s:s, s:[{s:s}]}], s:[{s:s}], s:{s:i}}", "messages", "role",
                                "user", "content", "text", prompt->user.data, "system", "text",
                                prompt->system.data, "inferenceConfig", "maxTokens", TOKENS_MAX));
    authorize(request, access, path.data);
    text_clear(&path);
}

static void read(struct answer *answer, const json_t *document)
{
    const json_t *message = json_object_get(json_object_get(document, "output"), "message");
    const json_t *content = json_object_get(message, "content");
    for (size_t i = 0; i < json_array_size(content); i++) {
        answer_add(answer, json_object_get(json_array_get(content, i), "text"));
    }
    answer_finish(answer, json_object_get(document, "stopReason"), "end_turn", "max_tokens");
    if (!message) {
        answer_read_problem(answer, document);
    }
}

// The list is kept by another host than the one that answers.
static void ask_models(struct provider_request *request, const struct access *access)
{
    static const char runtime[] = "://bedrock-runtime.";
    static const char path[] = "/foundation-models";
    const char *at = strstr(access->address, runtime);
    if (at) {
        text_add_bytes(&request->url, access->address, (size_t)(at - access->address));
        text_format(&request->url, "://bedrock.%s", at + sizeof runtime - 1);
    } else {
        text_add(&request->url, access->address);
    }
    text_add(&request->url, path);
    provider_add_header(request, "Content-Type", "application/json");
    authorize(request, access, path);
}

const struct provider provider_bedrock = {
    .name = "bedrock",
    .title = "Amazon Bedrock",
    .model = "us.anthropic.claude-sonnet-5-5",
    .key_variables = key_variables,
    .address_variables = address_variables,
    .needs_key = true,
    .key_note = "An API key. A pair of keys that signs is taken from the environment only.",
    .framing = EVENT_WHOLE,
    .complete = complete,
    .ask = ask,
    .read = read,
    .ask_models = ask_models,
    .models = {.list = "modelSummaries",
               .name = "modelId",
               .uses = "outputModalities",
               .use = "TEXT"},
};
