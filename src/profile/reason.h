// SPDX-License-Identifier: Apache-2.0
#pragma once

// Why a profile has nothing to show: a report is never empty without the reason.

#include <stdbool.h>

#include "base/text.h"
#include "profile/profile.h"

// False if some file is listed. Else adds one sentence or two: what was seen instead, and what to
// do about it.
bool reason_of_emptiness(const struct profile *profile, struct text *out);
