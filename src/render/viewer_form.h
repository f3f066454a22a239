// SPDX-License-Identifier: Apache-2.0
#pragma once

// A profile as a page reads it: columns instead of records (docs/viewer-form.md). A pure function
// of the profile, the same bytes each time.

#include "base/text.h"
#include "profile/profile.h"

// The profile's files in the order of the form: those with the most time first. The caller frees
// the list, which has profile->file_count indices.
size_t *viewer_form_files(const struct profile *profile);

void viewer_form(const struct profile *profile, struct text *out);
