// SPDX-License-Identifier: Apache-2.0
#include "suggest/provider.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define MODELS_MAX 1000

#define X(name) &provider_##name,
const struct provider *const providers[PROVIDER_COUNT] = {PROVIDERS(X)};
#undef X

const struct provider *provider_find(const char *name)
{
    for (size_t i = 0; i < PROVIDER_COUNT; i++) {
        if (strcmp(providers[i]->name, name) == 0) {
            return providers[i];
        }
    }
    return NULL;
}

const struct provider *provider_default(void)
{
    for (size_t i = 0; i < PROVIDER_COUNT; i++) {
        if (access_variable(providers[i]->key_variables)) {
            return providers[i];
        }
    }
    return NULL;
}

void provider_add_variables(struct text *out)
{
    for (size_t i = 0; i < PROVIDER_COUNT; i++) {
        const char *before = i == 0 ? "" : i + 1 < PROVIDER_COUNT ? ", " : " or ";
        text_format(out, "%s%s", before, providers[i]->key_variables[0]);
    }
}

static bool is_of_use(const struct provider_models *models, const json_t *model)
{
    const json_t *uses = models->uses ? json_object_get(model, models->uses) : NULL;
    bool is_found = !json_is_array(uses);
    for (size_t i = 0; !is_found && i < json_array_size(uses); i++) {
        const char *use = json_string_value(json_array_get(uses, i));
        is_found = use && strcmp(use, models->use) == 0;
    }
    return is_found;
}

void provider_read_models(const struct provider *provider, struct names *models,
                          const json_t *document)
{
    const json_t *list = json_object_get(document, provider->models.list);
    const char *prefix = provider->models.prefix ? provider->models.prefix : "";
    for (size_t i = 0; i < json_array_size(list) && i < MODELS_MAX; i++) {
        const json_t *model = json_array_get(list, i);
        const char *name = json_string_value(json_object_get(model, provider->models.name));
        if (name && name[0] && is_of_use(&provider->models, model)) {
            name += strncmp(name, prefix, strlen(prefix)) == 0 ? strlen(prefix) : 0;
            names_add(models, name, strlen(name));
        }
    }
}

void provider_add_header(struct provider_request *request, const char *name, const char *value)
{
    struct text header = {0};
    assert(request->header_count < PROVIDER_HEADERS_MAX);
    text_format(&header, "%s: %s", name, value);
    request->headers[request->header_count++] = header.data;
}

void provider_add_bearer(struct provider_request *request, const char *key)
{
    struct text value = {0};
    text_format(&value, "Bearer %s", key);
    provider_add_header(request, "Authorization", value.data);
    explicit_bzero(value.data, value.len);
    text_clear(&value);
}

void provider_set_body(struct provider_request *request, json_t *document)
{
    char *bytes = document ? json_dumps(document, JSON_COMPACT) : NULL;
    if (bytes) {
        text_add(&request->body, bytes);
    }
    free(bytes);
    json_decref(document);
    provider_add_header(request, "Content-Type", "application/json");
}

bool provider_write_request(struct provider_request *request, const struct provider *provider,
                            const struct access *access, const struct prompt *prompt,
                            struct error *err)
{
    if (prompt) {
        provider->ask(request, access, prompt);
    } else {
        provider->ask_models(request, access);
    }
    return !prompt || request->body.len > 0
               ? true
               : error_set(err, "the question has text that is not UTF-8, so it was not sent");
}

void provider_request_clear(struct provider_request *request)
{
    for (size_t i = 0; i < request->header_count; i++) {
        explicit_bzero(request->headers[i], strlen(request->headers[i]));
        free(request->headers[i]);
    }
    text_clear(&request->url);
    text_clear(&request->body);
    *request = (struct provider_request){0};
}
