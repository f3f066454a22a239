// SPDX-License-Identifier: Apache-2.0
#pragma once

// A proposal in the terminal: what would be sent is shown and asked for, the answer streams in, and
// what it changes follows as a patch.

#include <stdbool.h>

#include "base/error.h"
#include "base/text.h"
#include "profile/profile.h"
#include "suggest/access.h"
#include "suggest/diff.h"
#include "suggest/prompt.h"
#include "suggest/provider.h"
#include "suggest/region.h"

struct proposal {
    const struct provider *provider;
    struct access_wish wish;
    struct prompt_options prompt;
    double timeout_s;
    bool is_agreed;  // the user said beforehand that it may be sent
    bool is_patched; // stdout is for the patch: the answer goes to stderr
};

// Shows what would be sent, and sends nothing.
void proposal_print_prompt(const struct proposal *proposal, const struct profile *profile,
                           const struct region *region);

// What the answer changes; the diff is zero before, and is cleared by the caller. False also if the
// user does not want it sent, or if the answer is incomplete.
bool proposal_ask(const struct proposal *proposal, const struct profile *profile,
                  const struct region *region, struct diff *diff, struct error *err)
    __attribute__((warn_unused_result));

// If Ctrl-C has cancelled a question, ends the process as one that Ctrl-C ends. What was answered
// before can be kept first.
void proposal_end_cancelled(void);

// On stdout, with what would steer a terminal made harmless.
void proposal_print_change(const struct text *patch);

bool proposal_list_models(const struct proposal *proposal, struct error *err)
    __attribute__((warn_unused_result));
