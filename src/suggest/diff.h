// SPDX-License-Identifier: Apache-2.0
#pragma once

// What a proposal changes: the region's lines and those in their place, side by side.

#include <stddef.h>

#include "base/text.h"
#include "profile/source.h"
#include "suggest/region.h"

enum diff_kind { DIFF_SAME, DIFF_REMOVED, DIFF_ADDED };

struct diff_row {
    enum diff_kind kind;
    int old_line; // 0: it has none
    int new_line;
    const char *text; // with its line end
    size_t len;
};

struct diff {
    const struct region *region; // kept by the caller, as the lines are
    struct source code;          // the proposal
    struct diff_row *rows;
    size_t count;
    size_t change_count; // rows that are not the same
};

void diff_make(struct diff *diff, const struct region *region, const char *code, size_t len);
void diff_clear(struct diff *diff);
