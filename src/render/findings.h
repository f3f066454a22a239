// SPDX-License-Identifier: Apache-2.0
#pragma once

// What stands out, as the terminal says it: the sentences of the profile, word for word.

#include "profile/finding.h"
#include "render/paint.h"

// A numbered list with a heading. Says so if there is none.
void findings_render(struct canvas *canvas, const struct finding_list *list);

// The sentence alone; without UTF-8 the sign ± is +/-.
void findings_line(struct text *out, const struct finding *finding, bool is_utf8);
