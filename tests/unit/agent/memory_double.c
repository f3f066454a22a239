// SPDX-License-Identifier: Apache-2.0

// What the memory hooks call, for an agent that has nothing but hooks.

#include "agent/allocation.h"
#include "agent/footprint.h"

#define REST_BYTES (1u << 20)

_Thread_local int64_t footprint_owed __attribute__((tls_model("initial-exec")));
_Thread_local struct allocation_thread allocation_self __attribute__((tls_model("initial-exec")));
struct live_table live_table;

void footprint_settle(void)
{
    footprint_owed = 0;
}

void allocation_made(const void *address, size_t size, unsigned flags)
{
    (void)address;
    (void)flags;
    byte_sampler_rest(&allocation_self.heap, size, REST_BYTES);
}

void allocation_freed(const void *address)
{
    (void)address;
}

void allocation_grew(const void *address, size_t old_size, size_t size)
{
    (void)old_size;
    allocation_made(address, size, 0);
}

struct live_slot *allocation_resize_begin(const void *address)
{
    (void)address;
    return NULL;
}

void allocation_resize_end(struct live_slot *slot, const struct allocation_resize *change)
{
    (void)slot;
    (void)change;
}
