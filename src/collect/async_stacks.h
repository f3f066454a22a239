// SPDX-License-Identifier: Apache-2.0
#pragma once

// The ways in which tasks waited, as stacks beside those of the samples: the awaiting coroutines,
// outermost first, and a leaf that says who waits. Zero-initialised is empty.

#include "base/map.h"
#include "collect/async_watch.h"
#include "profile/profile.h"

struct async_stack {
    struct async_frame *frames; // innermost first
    uint32_t frame_count;
    char *task; // NULL: not known
    double await_s;
    uint32_t place; // in the profile that is filled, plus one; 0: it has none there
    uint64_t hits;  // in it, and ...
    double shown_s; // ... how much of the waiting has its ...
    uint64_t shown; // ... part of them in the timeline
};

struct async_moment {
    double time_s;
    double waited_s;
    uint32_t stack;
};

struct async_stacks {
    struct async_stack *list;
    size_t count;
    size_t capacity;
    struct map index; // of what a chain stands for, to its place + 1
    struct async_moment *moments;
    size_t moment_count;
    size_t moment_capacity;
};

// Returns its number plus one; 0: there is no room for it.
uint32_t async_stacks_add(struct async_stacks *stacks, const struct async_chain *chain,
                          double await_s);

// When a part of that was waited, for the timeline.
void async_stacks_add_moment(struct async_stacks *stacks, const struct async_moment *moment);

// The heaviest of both. A stack's hits are its part of the time that nothing ran, in samples of
// `period_s`: what tasks waited for while others ran was nobody's loss.
void async_stacks_fill(struct async_stacks *stacks, struct async_stacks *more,
                       struct profile *profile, double period_s);

void async_stacks_clear(struct async_stacks *stacks);
