// SPDX-License-Identifier: Apache-2.0
#pragma once

// What is said on stderr once the profile is saved: where it is, how to look at it, and, when there
// is nothing in it, why.

#include "profile/profile.h"

void closing_print(const struct profile *profile, const char *path);
