// SPDX-License-Identifier: Apache-2.0
#pragma once

// What a model is asked: the region with its imports and the function around it, what was measured
// there with its errors, and what was found. No paths, arguments, or variables of the environment:
// what is in these two texts, and the model's name, is all that leaves. They are valid UTF-8.

#include <stdbool.h>

#include "base/text.h"
#include "profile/profile.h"
#include "suggest/region.h"

#define PROMPT_INSTRUCTIONS_MAX 2000 // bytes of the user's own

struct prompt_options {
    enum region_aim aim;
    bool allows_gpu;
    const char *instructions; // the user's own; NULL: none
};

struct prompt {
    struct text system; // how to answer
    struct text user;   // what is asked
};

void prompt_write(struct prompt *prompt, const struct profile *profile, const struct region *region,
                  const struct prompt_options *options);
void prompt_clear(struct prompt *prompt);
