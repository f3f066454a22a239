// SPDX-License-Identifier: Apache-2.0
#pragma once

// Whether code is a library's, by the name of its file alone: what is below lib*/pythonX.Y,
// site-packages or dist-packages, and what has no file. The collector knows better, and later.
// Context: holds the GIL

#include <stdbool.h>
#include <stdint.h>

#include "agent/probe.h"

bool library_name_of_code(struct probe *probe, uintptr_t code);
