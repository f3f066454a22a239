// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the page asks a model for: the JSON of a request, read and checked, and what follows from
// it.

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "base/text.h"
#include "profile/profile.h"
#include "suggest/access.h"
#include "suggest/prompt.h"
#include "suggest/provider.h"
#include "suggest/region.h"

struct question {
    const struct provider *provider;
    struct access access;
    bool has_region; // a list of models is about none
    struct region region;
    struct prompt prompt;
};

// `files` are the profile's in the order of the form, which is the page's. The JSON's keys:
// provider, model, address, key; file, line, only_line, aim, gpu, instructions.
bool question_read(struct question *question, const struct profile *profile, const size_t *files,
                   const struct text *body, bool is_about_models, struct error *err)
    __attribute__((warn_unused_result));
void question_clear(struct question *question);
