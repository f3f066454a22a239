// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the program maps by itself, and what of it is its memory. Anonymous memory counts from the
// moment that it can be written, private or shared; addresses that are only reserved do not, nor
// do a gigabyte or more for which the kernel was told to set nothing aside (MAP_NORESERVE).
// Mapped files, private and shared, are added up apart. What the allocator maps is its blocks'.
// Context: any thread, signal handler, vfork child

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "agent/mapped_block.h"
#include "agent/region_table.h"

// Whether a call of `caller`'s is followed; not in a process without a run, nor the allocator's.
bool mapping_is_followed(const void *caller);

// After mmap: also what it has thrown out.
void mapping_made(const void *address, size_t len, int protection, int flags);

// After mprotect.
void mapping_protected(const void *address, size_t len, int protection);

#define MAPPING_TAKEN_MAX 16

// What a call is about to unmap or move: out of the table already, since another thread may be
// given the addresses before the call returns.
struct mapping_taken {
    size_t count;
    struct region_cut cuts[MAPPING_TAKEN_MAX];
    struct live_slot *moving; // of the one block that is about to move; NULL: none is followed
};

// Around munmap.
void mapping_unmap_begin(struct mapping_taken *taken, const void *address, size_t len);
void mapping_unmap_end(const struct mapping_taken *taken, bool is_done);

// Around mremap; `address` is where it lies now, MAP_FAILED where it was.
void mapping_move_begin(struct mapping_taken *taken, const void *address, size_t len);
void mapping_move_end(const struct mapping_taken *taken, const void *address, size_t len);
