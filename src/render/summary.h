// SPDX-License-Identifier: Apache-2.0
#pragma once

// The functions of a file, those with the most time first.

#include "profile/profile.h"
#include "render/paint.h"

// Adds nothing if no function has anything.
void summary_render(struct canvas *canvas, const struct profile *profile,
                    const struct profile_file *file);
