// SPDX-License-Identifier: Apache-2.0
#pragma once

// The services that can be asked. Each is one file, which ends with its row, and one entry in the
// list below; the command and the page speak of them by these rows.

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/map.h"
#include "base/text.h"
#include "suggest/access.h"
#include "suggest/answer.h"
#include "suggest/event.h"
#include "suggest/prompt.h"

#define PROVIDER_HEADERS_MAX 6

// What is sent. Without a body it is a GET.
struct provider_request {
    struct text url;
    struct text body;
    char *headers[PROVIDER_HEADERS_MAX]; // "name: value"; may hold keys
    size_t header_count;
};

// Where a list of models has their names: in objects of a list, behind a prefix that all have.
struct provider_models {
    const char *list;
    const char *name;
    const char *prefix; // NULL: none
    const char *uses;   // key of a list of what a model is good for; NULL: there is none
    const char *use;    // what that list must have, if it is there
};

struct provider {
    const char *name;                 // as --provider has it
    const char *title;                // for people
    const char *address;              // NULL: the user's own
    const char *model;                // default; NULL: there is none
    const char *const *key_variables; // of the environment, the first that is set; end with NULL
    const char *const *address_variables; // the same; NULL: none
    bool needs_key;
    const char *key_note; // what who types one into the page has to know; NULL: nothing
    enum event_framing framing;

    // What else it needs from the environment; NULL: nothing. False, with what to do, if that is
    // not there.
    bool (*complete)(struct access *access, const struct access_wish *wish, struct error *err);

    void (*ask)(struct provider_request *request, const struct access *access,
                const struct prompt *prompt);
    void (*read)(struct answer *answer, const json_t *document);

    // The models it has.
    void (*ask_models)(struct provider_request *request, const struct access *access);
    struct provider_models models;
};

// The first whose key is set is asked by default: the original's order.
#define PROVIDERS(X) X(bedrock) X(anthropic) X(azure) X(gemini) X(openai) X(ollama)

#define X(name) extern const struct provider provider_##name;
PROVIDERS(X)
#undef X

// " bedrock anthropic ...", for texts that are made when this is compiled.
#define PROVIDER_WORD(name) " " #name
#define PROVIDER_WORDS      PROVIDERS(PROVIDER_WORD)

#define PROVIDER_ONE(name) +1

enum { PROVIDER_COUNT = PROVIDERS(PROVIDER_ONE) };

extern const struct provider *const providers[PROVIDER_COUNT];

const struct provider *provider_find(const char *name); // NULL: there is none

// The first whose key is in the environment; NULL: none.
const struct provider *provider_default(void);

// "AWS_BEARER_TOKEN_BEDROCK, ANTHROPIC_API_KEY, ... or OLLAMA_API_KEY": a variable for each.
void provider_add_variables(struct text *out);

// Names of models from what the provider answered.
void provider_read_models(const struct provider *provider, struct names *models,
                          const json_t *document);

void provider_add_header(struct provider_request *request, const char *name, const char *value);
void provider_add_bearer(struct provider_request *request, const char *key);

// Takes the document. NULL, or one that is no JSON: the body stays empty.
void provider_set_body(struct provider_request *request, json_t *document);

// What is sent to ask, or without a prompt to list the models. False if a text does not fit into
// JSON; the request must be cleared either way.
bool provider_write_request(struct provider_request *request, const struct provider *provider,
                            const struct access *access, const struct prompt *prompt,
                            struct error *err) __attribute__((warn_unused_result));

// Wipes what it held.
void provider_request_clear(struct provider_request *request);
