// SPDX-License-Identifier: Apache-2.0
#include "serve/question.h"

#include <jansson.h>
#include <string.h>

static const char *text_of(const json_t *root, const char *key)
{
    const char *text = json_string_value(json_object_get(root, key));
    return text && text[0] ? text : NULL;
}

static bool read_region(struct question *question, const struct profile *profile,
                        const size_t *files, const json_t *root, struct error *err)
{
    json_int_t file = json_integer_value(json_object_get(root, "file"));
    json_int_t line = json_integer_value(json_object_get(root, "line"));
    if (file < 0 || (size_t)file >= profile->file_count || line < 1 || line > PROFILE_LINE_MAX) {
        return error_set(err, "the profile has no such line");
    }
    bool is_line = json_is_true(json_object_get(root, "only_line"));
    if (!region_find(&question->region, profile, &profile->files[files[file]], (int)line, is_line,
                     err)) {
        return false;
    }
    const char *aim = text_of(root, "aim");
    const struct prompt_options options = {
        .aim = aim && strcmp(aim, "memory") == 0 ? REGION_FOR_MEMORY : REGION_FOR_TIME,
        .allows_gpu = json_is_true(json_object_get(root, "gpu")),
        .instructions = text_of(root, "instructions"),
    };
    question->has_region = true;
    prompt_write(&question->prompt, profile, &question->region, &options);
    return true;
}

static bool read_access(struct question *question, const json_t *root, struct error *err)
{
    const char *name = text_of(root, "provider");
    const struct access_wish wish = {
        .address = text_of(root, "address"),
        .model = text_of(root, "model"),
        .key = text_of(root, "key"),
        .is_from_page = true,
    };
    question->provider = name ? provider_find(name) : NULL;
    return question->provider ? access_open(&question->access, question->provider, &wish, err)
                              : error_set(err, "choose a provider first");
}

// The copy of the key in the document is wiped with it.
static void forget(json_t *root)
{
    json_t *key = json_object_get(root, "key");
    if (json_is_string(key)) {
        explicit_bzero((char *)json_string_value(key), json_string_length(key));
    }
    json_decref(root);
}

bool question_read(struct question *question, const struct profile *profile, const size_t *files,
                   const struct text *body, bool is_about_models, struct error *err)
{
    *question = (struct question){0};
    json_t *root = json_loadb(body->data ? body->data : "", body->len, 0, NULL);
    if (!json_is_object(root)) {
        json_decref(root);
        return error_set(err, "this is no question: it is not a JSON object");
    }
    bool is_read = read_access(question, root, err) &&
                   (is_about_models || read_region(question, profile, files, root, err));
    forget(root);
    if (!is_read) {
        question_clear(question);
    }
    return is_read;
}

void question_clear(struct question *question)
{
    access_clear(&question->access);
    prompt_clear(&question->prompt);
    if (question->has_region) {
        region_clear(&question->region);
    }
    *question = (struct question){0};
}
