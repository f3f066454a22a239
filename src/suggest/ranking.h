// SPDX-License-Identifier: Apache-2.0
#pragma once

// Where most is at stake. A line counts for the region around it and for no other, so that a
// function does not come before the loop in it by that loop's own time.

#include <stddef.h>

#include "profile/profile.h"
#include "suggest/place.h"
#include "suggest/region.h"

// The heaviest line of each of the heaviest regions that can be asked about, at most `max`, the
// heaviest first. None is inside another, so that what is proposed for them fits into one patch.
size_t ranking_top(const struct profile *profile, enum region_aim aim, struct place *places,
                   size_t max);
