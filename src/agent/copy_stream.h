// SPDX-License-Identifier: Apache-2.0
#pragma once

// The stream of bytes that a thread copies, cut into windows with one point in each, drawn evenly.
// The copy that a point lies in stands for its window; one of a window or more for itself, and is
// no part of the stream. So the expected weight of a copy is its length, whatever the others are.

#include <stdint.h>

struct copy_stream {
    uint64_t window; // of the next point; 0: none is drawn yet
    uint64_t left;   // at most a window, so that every copy of a window or more is noticed
    uint64_t carry;  // this much more to the point
    uint64_t tail;   // from the point to the end of its window
    uint32_t random; // not 0
};

// The bytes that a copy of `len` stands for. Windows begun on the way are `window` long.
uint64_t copy_stream_pass(struct copy_stream *stream, uint64_t len, uint64_t window);
