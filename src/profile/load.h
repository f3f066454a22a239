// SPDX-License-Identifier: Apache-2.0
#pragma once

// Reads a profile from a file: ours, or one that the original Scalene wrote. What a file does not
// have is zero or empty. The file is not trusted: wrong types and absurd numbers are left out.

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "profile/profile.h"

bool profile_load(struct profile **profile, const char *path, struct error *err)
    __attribute__((warn_unused_result));

// The same from memory; `name` stands for the file in messages.
bool profile_parse(struct profile **profile, const char *text, size_t len, const char *name,
                   struct error *err) __attribute__((warn_unused_result));
