// SPDX-License-Identifier: Apache-2.0
#include "agent/loop_block.h"

#include <string.h>

#include "agent/await_sums.h"
#include "agent/clock.h"
#include "agent/session.h"
#include "agent/thread.h"

void loop_block_send(const struct await_table *table, const struct await_stretch *stretch,
                     const struct record_frame *frames, unsigned count)
{
    uint64_t duration_ns = await_sums_ns(table, stretch->end_tick - stretch->begin_tick);
    bool is_told = duration_ns >= LOOP_BLOCK_NS && session_is_on() && thread_is_begun(&thread_self);
    struct ring *ring = is_told ? session_ring() : NULL;
    size_t bytes = count * sizeof *frames;
    struct record_loop_block *record =
        ring ? ring_reserve(ring, RECORD_LOOP_BLOCK, sizeof *record + bytes) : NULL;
    if (record) {
        record->time_ns = clock_wall_ns();
        record->duration_ns = duration_ns;
        record->tid = thread_self.tid;
        record->frame_count = count;
        if (bytes > 0) {
            memcpy(record + 1, frames, bytes);
        }
        ring_commit(record);
    }
}
