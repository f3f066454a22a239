// SPDX-License-Identifier: Apache-2.0
#include "agent/shadow_action.h"

#include <stdatomic.h>

// A reader could only see a mixture if this many changes happened while it copied one.
#define SLOT_COUNT 32

static struct sigaction slots[SLOT_COUNT];
static _Atomic unsigned next_slot;
static _Atomic unsigned current_slot;

struct sigaction shadow_action_get(void)
{
    return slots[atomic_load(&current_slot)];
}

void shadow_action_set(const struct sigaction *action)
{
    unsigned slot = atomic_fetch_add(&next_slot, 1) % SLOT_COUNT;
    slots[slot] = *action;
    atomic_store(&current_slot, slot);
}
