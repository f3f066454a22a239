// SPDX-License-Identifier: Apache-2.0
#pragma once

// What a provider has answered so far, and what it complained of.

#include <jansson.h>
#include <stdbool.h>

#include "base/text.h"
#include "suggest/access.h"

#define ANSWER_MAX (256u * 1024) // bytes; no region needs more

struct answer {
    struct text text;
    struct text problem; // empty: none
    bool is_finished;    // the provider said that this is all
    bool is_cut;         // ... because it was as long as it may be
    bool is_too_long;    // for us
};

// Adds a text of JSON; anything else adds nothing.
void answer_add(struct answer *answer, const json_t *text);

// What the server says went wrong, in whichever of the usual shapes. False: nothing.
bool answer_read_problem(struct answer *answer, const json_t *root);

// Makes the problem fit to be shown: without keys, which a server may repeat, and not too long.
void answer_tidy_problem(struct answer *answer, const struct access *access);

// The reason why a model stopped, in the provider's word; `good` is a normal end, `cut` one at the
// length that was allowed, any other is a problem. No text, or an empty one: it goes on.
void answer_finish(struct answer *answer, const json_t *reason, const char *good, const char *cut);
void answer_clear(struct answer *answer);
