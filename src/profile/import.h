// SPDX-License-Identifier: Apache-2.0
#pragma once

// The import statements of a source text that bring in native code: modules built into CPython or
// shipped with it as extensions, and widely used extension packages. Known by name, since asking
// for more would mean to import them.

#include "profile/source.h"
#include "profile/writer.h"

// A list of statements, one for each native module named: "import sys", "from math import sqrt".
void import_write_native(struct writer *writer, const struct source *source);
