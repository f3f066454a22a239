// SPDX-License-Identifier: Apache-2.0
#pragma once

// All memory that the process holds, exactly: each thread adds up its own changes, and settles them
// with the process's sum when they are worth it. A new peak is recorded before the sum falls again.
// Context: any thread, signal handler, vfork child (which shares its parent's memory and sums)

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "agent/handler_safe.h"

#define FOOTPRINT_SLACK 32768 // bytes that a thread may owe

extern _Thread_local int64_t footprint_owed __attribute__((tls_model("initial-exec")));

// Adds what this thread owes to the sum, and records it where that is due.
void footprint_settle(void);

// Adds to what this thread owes; true when that is to be settled.
static inline bool footprint_owe(int64_t bytes)
{
    handler_safe_add(&footprint_owed, bytes);
    return __builtin_expect((uint64_t)(footprint_owed + FOOTPRINT_SLACK) > 2 * FOOTPRINT_SLACK, 0);
}

static inline void footprint_add(int64_t bytes)
{
    if (footprint_owe(bytes)) {
        footprint_settle();
    }
}

// Something that was followed is about to be freed: if this is a new peak, it is recorded first.
void footprint_before_fall(void);

// From here on there is another process to be added to this one: how things stand is recorded.
void footprint_before_fork(void);

// The thread ends: from here on it owes nothing, whatever its last acts are.
void footprint_thread_ends(void);

// Records how things stand at the end of the process.
void footprint_report(void);

// Mapped memory that is not the process's own: told beside the footprint.
void footprint_add_file(int64_t bytes);
void footprint_add_shared(int64_t bytes);

// In the child of a fork: from here on only its own changes count.
void footprint_forked(void);
