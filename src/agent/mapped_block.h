// SPDX-License-Identifier: Apache-2.0
#pragma once

// A mapping as a block that some line of the program holds.
// Context: any thread, signal handler; a vfork child changes nothing here

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct live_slot;

// Whether what this thread maps now is a block. Not what an allocator maps for blocks of its own.
bool mapped_block_is_wanted(void);

void mapped_block_made(uintptr_t start, size_t size);

// Before it is unmapped.
void mapped_block_freed(uintptr_t start);

// Around a change of size or place; NULL: nobody follows it.
struct live_slot *mapped_block_resize_begin(uintptr_t start);

struct mapped_block_change {
    uintptr_t old_start;
    size_t old_size;
    uintptr_t start;
    size_t size;
};

void mapped_block_resize_end(struct live_slot *slot, const struct mapped_block_change *change);
