// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which threads are blocked right now, and since when: a table in the ring's header, so that a wait
// that never ends (the program is killed in it) is known all the same. A thread has a slot from its
// start to its end; threads beyond the table's size have none. The owner stores the thread state
// and the caller, then the beginning; a reader believes what it read only if the beginning is still
// the same. Context: any thread, signal handler

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WAIT_SLOT_COUNT 96u

struct wait_slot {
    _Atomic uint64_t begin_ns; // 0: not waiting
    _Atomic uint64_t state;    // address of the Python thread state; 0: none
    _Atomic int32_t tid;       // 0: free
    uint32_t reserved;
    _Atomic uint64_t caller; // the instruction after the call: whose library waits
};

struct wait_table {
    _Alignas(64) struct wait_slot slots[WAIT_SLOT_COUNT];
};

// NULL when all are taken.
struct wait_slot *wait_table_claim(struct wait_table *table, int32_t tid);
void wait_table_release(struct wait_slot *slot);

// The reader's side.

struct wait_view {
    uint64_t begin_ns;
    uint64_t state;
    uint64_t caller;
    int32_t tid;
};

// False when nobody waits there.
bool wait_table_read(const struct wait_table *table, size_t index, struct wait_view *view);

// Whether the thread is still in the wait that was read.
bool wait_table_goes_on(const struct wait_table *table, size_t index, const struct wait_view *view);
