// SPDX-License-Identifier: Apache-2.0
#include "agent/mapped_block.h"

#include "agent/allocation.h"
#include "agent/vfork_child.h"
#include "wire/record.h"

bool mapped_block_is_wanted(void)
{
    return allocation_is_on && !allocation_is_inner && !vfork_child_runs;
}

void mapped_block_made(uintptr_t start, size_t size)
{
    if (!byte_sampler_passes(&allocation_self.heap, size, size)) {
        allocation_made((const void *)start, size, ALLOCATION_IS_MAPPING);
    }
}

void mapped_block_freed(uintptr_t start)
{
    if (live_table_may_have((const void *)start)) {
        allocation_freed((const void *)start);
    }
}

struct live_slot *mapped_block_resize_begin(uintptr_t start)
{
    const void *address = (const void *)start;
    return live_table_may_have(address) ? allocation_resize_begin(address) : NULL;
}

void mapped_block_resize_end(struct live_slot *slot, const struct mapped_block_change *change)
{
    struct allocation_resize resize = {
        .old = (const void *)change->old_start,
        .block = (const void *)change->start,
        .old_size = change->old_size,
        .size = change->size,
    };
    size_t added = change->size > change->old_size ? change->size - change->old_size : 0;
    if (slot) {
        allocation_resize_end(slot, &resize);
    } else if (added > 0 && !byte_sampler_passes(&allocation_self.heap, change->size, added)) {
        allocation_grew(resize.block, change->old_size, change->size);
    }
}
