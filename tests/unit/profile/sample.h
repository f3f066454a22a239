// SPDX-License-Identifier: Apache-2.0
#pragma once

// A profile with something of everything, for tests of what is saved and loaded.

#include "profile/profile.h"

// `path` is its one large file. The caller frees the profile.
struct profile *sample_profile(const char *path);
