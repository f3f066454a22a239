// SPDX-License-Identifier: Apache-2.0
#pragma once

// The JSON object "leaks" of a file: its lines that leak, by number.

#include <jansson.h>

#include "profile/profile.h"
#include "profile/writer.h"

void leak_list_write(struct writer *writer, const struct profile_file *file);

// From an object that nobody checked.
void leak_list_load(const json_t *leaks, struct profile_file *file);
