// SPDX-License-Identifier: Apache-2.0
#pragma once

// What was measured in a region, as sentences for a model: shares with the half-width of their 95 %
// interval, waits, memory, copies, awaits, and the heaviest of its lines.

#include "base/text.h"
#include "profile/profile.h"
#include "suggest/region.h"

#define FACTS_LINES_MAX 12

void facts_add(struct text *out, const struct profile *profile, const struct region *region);

// What the profile's findings say about the region.
void facts_add_findings(struct text *out, const struct profile *profile,
                        const struct region *region);
