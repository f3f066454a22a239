// SPDX-License-Identifier: Apache-2.0
#pragma once

// Who holds the memory: one point in every so many bytes allocated, and the blocks that were hit,
// followed until they are freed. Errors and method are in docs/memory.md.
// Context: any thread, signal handler; not a vfork child

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Sampling goes on; set once, when this process has joined a run that follows memory.
extern bool allocation_is_on;

// A block or mapping was had. `flags`: enum allocation_flag, IS_PYTHON and IS_MAPPING.
void allocation_made(const void *address, size_t size, unsigned flags);

// Before it is given back: afterwards another thread may have it again.
void allocation_freed(const void *address);
