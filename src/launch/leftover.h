// SPDX-License-Identifier: Apache-2.0
#pragma once

// What runs whose scalene was killed left behind: their directories (run_dir.h). One with a
// checkpoint holds a profile that nobody has seen: it is kept for LEFTOVER_KEEP_S and told of. All
// other is removed. Directories of other users, of runs that go on, and whatever only has a similar
// name are never touched.

#include <stddef.h>

#define LEFTOVER_KEEP_S (3 * 86400) // over a weekend: it takes memory
#define LEFTOVER_MAX    16u

struct leftover_list {
    char *paths[LEFTOVER_MAX]; // that can be recovered
    size_t count;              // may be more than are named
};

// Removes what may be removed and lists the rest, in all places where run directories are made.
void leftover_sweep(struct leftover_list *list);

// The same in one place.
void leftover_sweep_in(struct leftover_list *list, const char *place);

void leftover_clear(struct leftover_list *list);
