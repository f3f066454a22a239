// SPDX-License-Identifier: Apache-2.0
#pragma once

// Copies bytes one by one, also between overlapping places, and calls nobody.
// Context: any, even before the library is ready to run

#include <stddef.h>

void *plain_copy(void *to, const void *from, size_t len);
