// SPDX-License-Identifier: Apache-2.0
#pragma once

// Reads a profile from a file: ours, or one that the original Scalene wrote. What a file does not
// have is zero or empty. The file is not trusted: wrong types and absurd numbers are left out.

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "profile/profile.h"
#include "profile/squeeze.h"

#define PROFILE_TEXT_MAX (2ul * 1024 * 1024 * 1024) // bytes; larger ones are refused

// All that a page shows of it: what viewers do not read is left out of a large one.
bool profile_load(struct profile **profile, const char *path, struct error *err)
    __attribute__((warn_unused_result));

// The same without stacks, for whoever shows lines alone: a large file is read in a part of the
// time.
bool profile_load_lines(struct profile **profile, const char *path, struct error *err)
    __attribute__((warn_unused_result));

// The whole from memory; `name` stands for the file in messages.
bool profile_parse(struct profile **profile, const char *text, size_t len, const char *name,
                   struct error *err) __attribute__((warn_unused_result));

// What `use` needs of it, in a part of the time.
bool profile_parse_for(struct profile **profile, const char *text, size_t len, enum squeeze_use use,
                       const char *name, struct error *err) __attribute__((warn_unused_result));
