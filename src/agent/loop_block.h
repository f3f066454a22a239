// SPDX-License-Identifier: Apache-2.0
#pragma once

// Steps that kept an event loop from everything else for long.
// Context: holds the GIL

#include <stdbool.h>

#include "agent/await_tasks.h"
#include "wire/record.h"

#define LOOP_BLOCK_NS 50000000u

// Whether it is worth asking how long it was: in ticks, of any processor.
static inline bool loop_block_may_be(const struct await_stretch *stretch)
{
    return stretch->end_tick - stretch->begin_tick > 400000u;
}

// Sends it, if it was long. `frames` are where the task waits now, innermost first.
void loop_block_send(const struct await_table *table, const struct await_stretch *stretch,
                     const struct record_frame *frames, unsigned count);
