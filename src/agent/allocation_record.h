// SPDX-License-Identifier: Apache-2.0
#pragma once

// How allocations and the changes of live blocks are written down. False: there was no room.
// Context: the thread itself

#include <stdbool.h>
#include <stdint.h>

#include "agent/live_table.h"

// Everything but the stack, which is taken here unless ALLOCATION_KEEPS_STACK is among the flags.
struct allocation_facts {
    uint64_t block; // number
    uint64_t size;
    uint64_t added;
    uint64_t weight;
    uint32_t mean;  // that the block was drawn by
    unsigned flags; // enum allocation_flag
    uint16_t site;  // filled in: tells stacks apart
};

bool allocation_record_write(struct allocation_facts *facts);

// `flags`: enum block_flag; BLOCK_AT_END is added here.
bool allocation_record_block(uint64_t block, uint64_t weight, unsigned flags);

// The block in a slot that the caller holds is gone: written now, or left to be written later.
void allocation_record_free(struct live_slot *slot);
