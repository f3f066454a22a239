// SPDX-License-Identifier: Apache-2.0
#pragma once

// Text in a gzip file. A profile as JSON takes a tenth to a thirtieth of the room that way, which
// matters where files lie in memory.

#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"

struct packed; // a file that is being written

// NULL when there is no memory. The descriptor stays the caller's.
struct packed *packed_new(int fd);

// Both return 0, or an errno; finishing frees.
int packed_add(struct packed *packed, const char *bytes, size_t len);
int packed_finish(struct packed *packed);

// Unpacks a whole file. False when it cannot be read, is broken, or holds more than `size_max`.
bool packed_read(int fd, size_t size_max, struct text *text);
