// SPDX-License-Identifier: Apache-2.0
#pragma once

// The JSON records of files, lines and functions (docs/profile-format.md).

#include "profile/profile.h"
#include "profile/writer.h"

// Whether a file has enough in it to be listed: time, waits or memory.
bool record_is_listed(const struct profile *profile, const struct profile_file *file);

void record_write_file(struct writer *writer, const struct profile *profile,
                       const struct profile_file *file);

// A list of [ns since the start, MB].
void record_write_points(struct writer *writer, const char *key, const struct profile_point *points,
                         size_t count);

// An object with the kinds that occurred.
void record_write_waits(struct writer *writer, const struct profile_times *times);
