// SPDX-License-Identifier: Apache-2.0
#pragma once

// The lines of a file that seem to leak memory, a sentence each, the fastest first.

#include "profile/profile.h"
#include "render/paint.h"

bool leaks_exist(const struct profile_file *file);

// Adds nothing if there is none.
void leaks_render(struct canvas *canvas, const struct profile_file *file);
