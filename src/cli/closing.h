// SPDX-License-Identifier: Apache-2.0
#pragma once

// What is said on stderr once the profile is saved: what stands out, where it is, how to look at
// it, when there is nothing in it, why, and what earlier runs that were killed have left.

#include "launch/leftover.h"
#include "profile/profile.h"

void closing_print(const struct profile *profile, const char *path,
                   const struct leftover_list *leftovers);
