// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the samplers of threads need only when they draw a point. Kept out of the threads' own
// blocks: a library that is loaded while a program runs may have little there (docs/live.md).
// Context: any thread, signal handler

#include "agent/byte_stretch.h"

#define STRETCH_POOL_COUNT 34 // stretches at a time

// Zeros. NULL when there is no memory for them, or too many threads have some.
struct byte_stretch *stretch_pool_take(void);

void stretch_pool_give(struct byte_stretch *stretches);
