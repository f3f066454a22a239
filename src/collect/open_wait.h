// SPDX-License-Identifier: Apache-2.0
#pragma once

// Waits that have not ended. A thread tells of a wait after it; one that its process does not
// survive is told by nobody. So whoever has been blocked for a while is looked at from outside,
// once a wait, and when the process has ended what it left open counts up to that moment.

#include <stdbool.h>
#include <stdint.h>

#include "collect/fold.h"
#include "collect/process.h"

// Bounds what looking may cost. Zero-initialised but for the filter is right.
struct open_wait_reader {
    bool (*is_ours)(const void *context, const char *path);
    const void *context;
    double looks; // that may be made now
    uint64_t last_ns;
};

// The process is alive as of now.
void open_wait_look(struct open_wait_reader *reader, const struct fold *fold,
                    struct process *process, uint64_t now_ns);

// Nothing more will come of the process, which was seen to have ended at `now_ns`. Does its work
// once.
void open_wait_settle(struct fold *fold, struct process *process, uint64_t now_ns);
