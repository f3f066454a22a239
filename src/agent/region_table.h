// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which parts of the address space the program has mapped, and what each part is. A region is one
// word: every change is one exchange of it, so that no thread waits for another's, a signal handler
// may come between any two, and a forked child finds every word whole. Neighbours of one kind are
// joined, as the kernel joins them, except blocks: each of these is one mapping.
// Context: any thread, signal handler, vfork child

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define REGION_PAGE     4096u
#define REGION_ROOM     16384u
#define REGION_SIZE_MAX ((size_t)((1u << 25) - 1) * REGION_PAGE) // larger ones are several

enum region_kind {
    REGION_MEMORY = 1, // the process's own
    REGION_BLOCK,      // likewise, and somebody wants to know who holds it
    REGION_RESERVED,   // addresses alone, to be made writable later
    REGION_BOUNDLESS,  // likewise, and the kernel was told not to set memory aside
    REGION_FILE,
    REGION_SHARED,
};

// As a set.
#define REGION_IS(kind)    (1u << (kind))
#define REGION_IS_ANYTHING (~0u)

struct region {
    uintptr_t start; // of a page
    size_t size;     // whole pages
    enum region_kind kind;
};

// Enters a region where nothing is. False when there is no room.
bool region_table_add(struct region region);

// So full that blocks had better be entered as memory, which can be joined.
bool region_table_is_crowded(void);

// What one region lost: `size` bytes from `start` on. Its parts before and behind stay; where a
// block has both, the one behind becomes memory.
struct region_cut {
    struct region whole; // as it was
    uintptr_t start;
    size_t size;
};

// A range of addresses that is taken out of the table, one region after the other.
struct region_search {
    uintptr_t start;
    size_t size;
    unsigned kinds; // a set; others stay
    size_t slot;
    size_t move_count; // when this round began
    unsigned round_count;
    bool must_repeat;
};

struct region_search region_table_search(uintptr_t start, size_t size, unsigned kinds);

// False when nothing is left. Until then no region of these kinds may be added in the range.
bool region_table_take(struct region_search *search, struct region_cut *cut);

// In the child of a fork: finishes what other threads had begun.
void region_table_forked(void);

// Nothing is known any more. Context: no session is active.
void region_table_forget(void);
