// SPDX-License-Identifier: Apache-2.0
#pragma once

// Whether a file can be run as a Python that loads the agent. Only what is certain is refused:
// scripts (pyenv's shims) and wrappers named like a Python may well start the real one.

#include <stdbool.h>

#include "base/error.h"

__attribute__((warn_unused_result)) bool executable_check(const char *path, struct error *err);
