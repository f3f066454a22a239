// SPDX-License-Identifier: Apache-2.0
#pragma once

// A folder of the test's own with files in it, removed with all that is in it.

#include <sys/types.h>

struct folder {
    char path[64];
};

void folder_open(struct folder *folder);
void folder_close(struct folder *folder);

// The full path of `name`; holds until the eighth call after this one.
const char *folder_path(const struct folder *folder, const char *name);

// Writes a file, directories above it included; returns its full path as above.
const char *folder_write(const struct folder *folder, const char *name, mode_t mode,
                         const char *content);
