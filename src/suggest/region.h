// SPDX-License-Identifier: Apache-2.0
#pragma once

// What a proposal can be asked for: a statement, or the innermost loop or function around it, with
// at least one percent of the time or of the memory.

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "profile/outline.h"
#include "profile/profile.h"
#include "profile/source.h"
#include "suggest/stake.h"

#define REGION_LINES_MAX 50
#define REGION_BYTES_MAX 16384

enum region_aim { REGION_FOR_TIME, REGION_FOR_MEMORY };

struct region {
    const struct profile_file *file;
    int line; // the one that was asked for, or the heaviest
    int first;
    int last;
    int function_first; // of the function or class around it; 0: none
    int function_last;
    struct profile_times times; // of its lines, summed
    struct profile_memory memory;
    struct profile_async async;
    struct profile_gpu gpu;
    struct stake stake;
    struct source source; // of the whole file; line ends as on disk where that is still the same
};

// The lines of it: of the innermost loop or function if they are few enough, else, and with
// `is_line`, of the statement.
struct outline_range region_extent(const struct outline_place *place, bool is_line);

// The region around a line, or with `is_line` only the statement that it belongs to. False, with
// the reason, if there is no source text, too little at stake or too much to send.
bool region_find(struct region *region, const struct profile *profile,
                 const struct profile_file *file, int line, bool is_line, struct error *err)
    __attribute__((warn_unused_result));
void region_clear(struct region *region);
