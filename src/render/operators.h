// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the program's own trace says (--trace): a short table of the operators that took most, on
// the processor and on the device. Beside the measured lines, never mixed with them.

#include "profile/profile.h"
#include "render/paint.h"

// Each adds nothing without a trace.
void operators_render(struct canvas *canvas, const struct profile *profile);

// The first few in a plain sentence.
void operators_tell(struct text *out, const struct profile *profile);
