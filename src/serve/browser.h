// SPDX-License-Identifier: Apache-2.0
#pragma once

// The user's browser. One that only shows text counts for none.

#include <stdbool.h>

// Opens an address beside us. False: there is no browser, or no screen for one.
bool browser_open(const char *address);
