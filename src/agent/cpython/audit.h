// SPDX-License-Identifier: Apache-2.0
#pragma once

// Control before the program's first line: an audit hook, which the interpreter lets one add before
// it is initialised. It taxes every audited call (id() by half) and cannot be removed, so, once it
// has fired, its entry is unlinked from the interpreter's list by hand; it is never freed, which
// also spares the debug allocators a block that they did not hand out.

#include <stdbool.h>

// Calls `on_start` once, with the GIL, when Python can be used. Context: constructor.
bool audit_install(void (*on_start)(void));

// The entry could not be found and stays. Context: after on_start.
bool audit_stays(void);
