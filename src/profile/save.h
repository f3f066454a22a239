// SPDX-License-Identifier: Apache-2.0
#pragma once

// Puts a profile into a file as JSON (docs/profile-format.md), whole or not at all: an older file
// of that name stays until the new one is complete.

#include <stdbool.h>

#include "base/error.h"
#include "profile/profile.h"

// A profile is not lost because its place is full or gone: it then goes to the temporary folder,
// *elsewhere is set to its path there (the caller frees it) and err says why. Else *elsewhere is
// NULL. False when it could be written nowhere.
bool profile_save(const struct profile *profile, const char *path, char **elsewhere,
                  struct error *err) __attribute__((warn_unused_result));
