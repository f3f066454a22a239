// SPDX-License-Identifier: Apache-2.0
#pragma once

// The lines of a file that held most memory, below its table.

#include "profile/profile.h"
#include "render/paint.h"

void holders_render(struct canvas *canvas, const struct profile *profile,
                    const struct profile_file *file);
