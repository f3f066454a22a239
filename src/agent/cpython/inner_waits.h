// SPDX-License-Identifier: Apache-2.0
#pragma once

// Waits that began within another step: whether they count is decided when that ends, and if so
// where they were counted is remembered until they end. A program without any pays nothing for it.
// Context: holds the GIL

#include <stdbool.h>
#include <stdint.h>

// Remembers it, unless its place is taken. Chain 0: a wait that was not counted.
void inner_waits_keep(uintptr_t coroutine, uint32_t chain);

// Whether it was there; then it is no more.
bool inner_waits_take(uintptr_t coroutine, uint32_t *chain);

void inner_waits_forget(void);
