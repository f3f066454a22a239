// SPDX-License-Identifier: Apache-2.0
#pragma once

// What coroutines waited for, beside the table: the lines that kept an event loop from everything
// else, a sentence each, those that took longest first; and the heaviest tasks.

#include "profile/profile.h"
#include "render/paint.h"

// Whether tasks waited noticeably in this file, or it kept a loop busy.
bool awaits_exist(const struct profile *profile, const struct profile_file *file);

// Each adds nothing if there is none.
void awaits_render(struct canvas *canvas, const struct profile_file *file);
void awaits_render_tasks(struct canvas *canvas, const struct profile *profile);

// The same of the whole profile in a few plain sentences: where most was awaited, what kept the
// loop, which tasks.
void awaits_tell(struct text *out, const struct profile *profile);
