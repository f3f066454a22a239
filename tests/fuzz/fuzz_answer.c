// SPDX-License-Identifier: Apache-2.0
// What a model, or whoever stands at its address, answers: the first byte chooses the provider and
// how the body is cut into pieces, the rest is the body. What comes out is made a change of a
// region.
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "suggest/diff.h"
#include "suggest/patch.h"
#include "suggest/provider.h"
#include "suggest/refusal.h"
#include "suggest/replacement.h"

static const char source_text[] = "def f(n):\n    t = 0\n    for i in range(n):\n        t += i\n";

struct hearing {
    const struct provider *provider;
    struct answer answer;
    struct names models;
};

static void read_document(void *context, const json_t *document)
{
    struct hearing *hearing = context;
    hearing->provider->read(&hearing->answer, document);
    provider_read_models(hearing->provider, &hearing->models, document);
}

static void read_end(void *context)
{
    ((struct hearing *)context)->answer.is_finished = true;
}

static void make_change(const char *answer)
{
    struct profile_file file = {.path = (char *)"/x/a.py"};
    struct region region = {.file = &file, .line = 3, .first = 3, .last = 4};
    struct text code = {0};
    struct text patch = {0};
    struct error err;
    source_from_text(&region.source, source_text, sizeof source_text - 1);
    if (replacement_read(&code, answer, &region, &err)) {
        struct diff diff;
        diff_make(&diff, &region, code.data, code.len);
        patch_add(&patch, &diff, 1, "/x");
        diff_clear(&diff);
    }
    text_clear(&patch);
    text_clear(&code);
    source_clear(&region.source);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 1) {
        return 0;
    }
    struct hearing hearing = {.provider = providers[data[0] % PROVIDER_COUNT]};
    struct event_reader reader = {.framing = hearing.provider->framing,
                                  .context = &hearing,
                                  .read = read_document,
                                  .read_end = read_end};
    const char *body = (const char *)data + 1;
    size_t len = size - 1;
    size_t step = 1 + data[0] / PROVIDER_COUNT;
    struct text sentence = {0};
    for (size_t at = 0; at < len; at += step) {
        event_feed(&reader, body + at, len - at < step ? len - at : step);
    }
    event_end(&reader);
    struct access access = {0};
    refusal_add(
        &sentence,
        &(struct refusal){
            .host = "host", .access = &access, .status = 429, .body = body, .body_len = len});
    if (hearing.answer.text.len > ANSWER_MAX) {
        abort();
    }
    make_change(hearing.answer.text.data ? hearing.answer.text.data : "");
    text_clear(&sentence);
    event_clear(&reader);
    answer_clear(&hearing.answer);
    names_clear(&hearing.models);
    return 0;
}
