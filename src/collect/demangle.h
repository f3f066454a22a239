// SPDX-License-Identifier: Apache-2.0
#pragma once

// A linker's name for a function as its author wrote it: without the compiler's suffixes and symbol
// versions, and C++ names in C++. The C++ library's own function does that; it is opened at the
// first such name, so that no other run pays for loading it. Without it names stay as they are.

#include "base/text.h"

void demangle(struct text *text, const char *name);
