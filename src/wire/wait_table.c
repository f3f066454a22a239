// SPDX-License-Identifier: Apache-2.0
#include "wire/wait_table.h"

_Static_assert(sizeof(struct wait_slot) == 32, "two slots a cache line");

// Every other slot first: as long as there is room, no two threads write to one cache line.
static size_t place(size_t turn)
{
    size_t half = WAIT_SLOT_COUNT / 2;
    return turn < half ? 2 * turn : 2 * (turn - half) + 1;
}

struct wait_slot *wait_table_claim(struct wait_table *table, int32_t tid)
{
    for (size_t i = 0; i < WAIT_SLOT_COUNT; i++) {
        struct wait_slot *slot = &table->slots[place(i)];
        int32_t nobody = 0;
        if (atomic_load_explicit(&slot->tid, memory_order_relaxed) == nobody &&
            atomic_compare_exchange_strong(&slot->tid, &nobody, tid)) {
            return slot;
        }
    }
    return NULL;
}

void wait_table_release(struct wait_slot *slot)
{
    atomic_store_explicit(&slot->begin_ns, 0, memory_order_relaxed);
    atomic_store_explicit(&slot->state, 0, memory_order_relaxed);
    atomic_store_explicit(&slot->tid, 0, memory_order_release);
}

bool wait_table_read(const struct wait_table *table, size_t index, struct wait_view *view)
{
    const struct wait_slot *slot = &table->slots[index];
    view->begin_ns = atomic_load_explicit(&slot->begin_ns, memory_order_acquire);
    view->state = atomic_load_explicit(&slot->state, memory_order_relaxed);
    view->caller = atomic_load_explicit(&slot->caller, memory_order_relaxed);
    view->tid = atomic_load_explicit(&slot->tid, memory_order_relaxed);
    return view->begin_ns != 0 && view->tid > 0 && wait_table_goes_on(table, index, view);
}

bool wait_table_goes_on(const struct wait_table *table, size_t index, const struct wait_view *view)
{
    const struct wait_slot *slot = &table->slots[index];
    atomic_thread_fence(memory_order_acquire);
    return atomic_load_explicit(&slot->begin_ns, memory_order_relaxed) == view->begin_ns &&
           atomic_load_explicit(&slot->tid, memory_order_relaxed) == view->tid;
}
