// SPDX-License-Identifier: Apache-2.0
#pragma once

// A profile in at most 4,000 tokens, for AI agents and people in a hurry (docs/agents.md): the
// verdict, what was found and what to try, the hottest lines with their source, memory and waits.
// The same order each time, and what had to be left out is counted.

#include "base/text.h"
#include "profile/profile.h"
#include "render/order.h"

#define DIGEST_TOKENS 4000

struct digest_options {
    enum order_key key; // ORDER_line: by time
    size_t max;         // lines; 0: as many as there is room for, 20 at most
};

void digest_markdown(const struct profile *profile, const struct digest_options *options,
                     struct text *out);
void digest_json(const struct profile *profile, const struct digest_options *options,
                 struct text *out);
