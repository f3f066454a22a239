// SPDX-License-Identifier: Apache-2.0
#pragma once

// Who holds the memory: one point in every so many bytes allocated, and the blocks that were hit,
// followed until they are freed. Errors and method are in docs/memory.md.
// Context: any thread, signal handler; a vfork child changes nothing here. errno is kept.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "agent/byte_sampler.h"
#include "agent/live_table.h"

// Sampling goes on; set once, when Python runs in a process whose run follows memory.
extern bool allocation_is_on;

// What is allocated now is part of something that is sampled as a whole, or piece by piece
// elsewhere: it counts in the footprint and is not sampled.
extern _Thread_local bool allocation_is_inner __attribute__((tls_model("initial-exec")));

struct allocation_watch;

// What each thread keeps. Hooks count its bytes here and call on only where that is not enough.
struct allocation_thread {
    struct byte_sampler heap; // of malloc and mmap
    struct byte_sampler pool; // of the interpreter's small objects
    struct allocation_watch *watch;
    bool is_python;           // it is the interpreter that asks
    bool is_busy;             // recording
    bool has_reached_realloc; // since somebody has cleared it
};

extern _Thread_local struct allocation_thread allocation_self
    __attribute__((tls_model("initial-exec")));

void allocation_start(void);

// A block or mapping was had, and byte_sampler_passes did not let it pass. `flags`:
// enum allocation_flag, IS_PYTHON and IS_MAPPING.
void allocation_made(const void *address, size_t size, unsigned flags);

// The same for a small object of the interpreter's, in two steps, as it depends on the answer where
// the block comes from. `class` is that of its size, in `pool`, whose blocks are counted one by
// one. A weight of 0: it need not be recorded. `live_flags`: LIVE_IS_POOLED or LIVE_IS_BESIDE.
struct byte_draw allocation_draw_in_pool(unsigned class);
void allocation_made_in_pool(const void *address, unsigned class, const struct byte_draw *draw,
                             unsigned live_flags);

// Before it is given back, where live_table_may_have it: afterwards another thread may have it.
void allocation_freed(const void *address);

// A block that is not followed was enlarged.
void allocation_grew(const void *address, size_t old_size, size_t size);

// Around a change of size of a block that may be followed. NULL: it is not.
struct live_slot *allocation_resize_begin(const void *address);

struct allocation_resize {
    const void *old;
    const void *block; // where it is now; NULL: it was freed
    size_t old_size;
    size_t size;
};

void allocation_resize_end(struct live_slot *slot, const struct allocation_resize *change);

// Follows the interpreter's small objects no longer: their frees may have gone unseen.
void allocation_lose_pool(void);

// Writes what could not be written before. Context: process end.
void allocation_flush(void);

// The calling thread ends: what it still allocates is not sampled.
void allocation_thread_ends(void);

// Nothing is followed any more. Context: no session is active.
void allocation_forget(void);

// In the child of a fork: it starts with nothing of its own.
void allocation_forked(void);

// Which heap blocks are made between begin and end, to find out what lies under an allocator.
struct allocation_watch {
    uintptr_t starts[8];
    size_t sizes[8];
    unsigned count;
};

void allocation_watch_begin(struct allocation_watch *watch);
void allocation_watch_end(void);
