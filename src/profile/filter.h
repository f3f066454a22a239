// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which files a profile shows: the program's own, unless asked otherwise. Paths are compared by
// components, never by substrings.

#include <stdbool.h>
#include <stddef.h>

struct filter {
    const char *program_dir;   // absolute; files below it, or directly in its parent, are ours
    bool has_all;              // --profile-all
    bool has_system_libraries; // --profile-system-libraries
    char **only;               // --profile-only: a file must match one of these, if any
    size_t only_count;
    char **exclude; // --profile-exclude
    size_t exclude_count;
};

// `path` is absolute, or a name in angle brackets.
bool filter_accepts(const struct filter *filter, const char *path);
