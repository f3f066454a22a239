// SPDX-License-Identifier: Apache-2.0
#pragma once

// Puts a profile into a file as JSON (docs/profile-format.md), whole or not at all: an older file
// of that name stays until the new one is complete.

#include <stdbool.h>

#include "base/error.h"
#include "base/watcher.h"
#include "profile/profile.h"

// A profile is not lost because its place is full or gone: it then goes to the temporary folder, or
// where else everybody may write; *elsewhere is set to its path there (the caller frees it) and err
// says why. Else *elsewhere is NULL. False when it could be written nowhere. The watcher, if any,
// is told how much of it is written.
bool profile_save(const struct profile *profile, const char *path, const struct watcher *watcher,
                  char **elsewhere, struct error *err) __attribute__((warn_unused_result));

// The same for one that is text already: a checkpoint is taken over byte by byte.
bool profile_save_text(const char *text, size_t len, const char *path, char **elsewhere,
                       struct error *err) __attribute__((warn_unused_result));

// There or nowhere: for a profile that a later one replaces.
bool profile_save_here(const struct profile *profile, const char *path, struct error *err);

// The same as a gzip file (packed.h).
bool profile_save_packed(const struct profile *profile, const char *path, struct error *err);
