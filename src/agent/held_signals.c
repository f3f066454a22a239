// SPDX-License-Identifier: Apache-2.0
#include "agent/held_signals.h"

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#define SLOT_COUNT 64

enum slot_state { SLOT_FREE, SLOT_BUSY, SLOT_FULL };

struct slot {
    _Atomic int state;
    _Atomic int tid;
    _Atomic uint32_t order;
    siginfo_t info;
};

static struct slot slots[SLOT_COUNT];
static _Atomic uint32_t next_order;

static bool claim(struct slot *slot, int from)
{
    return atomic_compare_exchange_strong(&slot->state, &from, SLOT_BUSY);
}

void held_signals_add(const siginfo_t *info, int tid)
{
    for (size_t i = 0; i < SLOT_COUNT; i++) {
        struct slot *slot = &slots[i];
        if (claim(slot, SLOT_FREE)) {
            slot->info = *info;
            atomic_store(&slot->tid, tid);
            atomic_store(&slot->order, atomic_fetch_add(&next_order, 1));
            atomic_store(&slot->state, SLOT_FULL);
            return;
        }
    }
}

static struct slot *oldest_of(int owner)
{
    struct slot *best = NULL;
    for (size_t i = 0; i < SLOT_COUNT; i++) {
        struct slot *slot = &slots[i];
        if (atomic_load(&slot->state) != SLOT_FULL || atomic_load(&slot->tid) != owner) {
            continue;
        }
        if (!best || (int32_t)(atomic_load(&slot->order) - atomic_load(&best->order)) < 0) {
            best = slot;
        }
    }
    return best;
}

// As the kernel does: the thread's own before the process's.
static struct slot *oldest(int tid)
{
    struct slot *own = oldest_of(tid);
    return own ? own : oldest_of(0);
}

bool held_signals_take(int tid, siginfo_t *info)
{
    struct slot *slot;
    while ((slot = oldest(tid))) {
        if (claim(slot, SLOT_FULL)) {
            if (info) {
                *info = slot->info;
            }
            atomic_store(&slot->state, SLOT_FREE);
            return true;
        }
    }
    return false;
}

bool held_signals_has(int tid)
{
    return oldest(tid) != NULL;
}

void held_signals_clear(void)
{
    for (size_t i = 0; i < SLOT_COUNT; i++) {
        atomic_store(&slots[i].state, SLOT_FREE);
    }
}
