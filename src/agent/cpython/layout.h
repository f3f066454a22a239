// SPDX-License-Identifier: Apache-2.0
#pragma once

// Where things lie in the structures of each CPython. Layouts do not change within a minor version.
// 3.8 to 3.12 are rows of a table; from 3.13 on the interpreter carries the numbers itself, and a
// row tells where. docs/adding-a-python-version.md says how to add one.

#include <stdbool.h>
#include <stdint.h>

#include "wire/layout.h"

// Fills `layout` for PY_VERSION_HEX `version`. `runtime` is the address of _PyRuntime. False when
// the version is not known and its own numbers are not plausible either.
bool layout_find(struct layout *layout, uint32_t version, const void *runtime);

// The layout was guessed from that of the newest known version.
bool layout_is_guess(uint32_t version);
