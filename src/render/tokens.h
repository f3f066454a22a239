// SPDX-License-Identifier: Apache-2.0
#pragma once

// How many tokens a language model makes of a text: no less than the usual ones do, so that what
// is bounded by it fits everywhere.

#include <stddef.h>

size_t tokens_of(const char *text, size_t len);
