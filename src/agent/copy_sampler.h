// SPDX-License-Identifier: Apache-2.0
#pragma once

// Who copies how much: in every so many bytes that a thread copies one point is drawn, and the copy
// that it lies in stands for all of them. A copy larger than that is taken as it is. How many bytes
// follows from the rate, so that there are no more than about a thousand records a second.
// Context: any thread, signal handler, vfork child

#include <stddef.h>
#include <stdint.h>

// Bytes up to the next point, or less. Zero in a new thread, so that its first copy asks.
extern _Thread_local uint64_t copy_sampler_left __attribute__((tls_model("initial-exec")));

// The copy may hold a point.
void copy_sampler_reach(uint64_t len);

static inline void copy_sampler_add(uint64_t len)
{
    if (__builtin_expect(len < copy_sampler_left, 1)) {
        copy_sampler_left -= len;
    } else {
        copy_sampler_reach(len);
    }
}

// The stream of a thread's copies, cut into windows with one point each.
struct copy_stream {
    uint64_t window; // of the next point; 0: none is drawn yet
    uint64_t left;   // at most a window, so that every copy of a window or more is noticed
    uint64_t carry;  // this much more to the point
    uint64_t tail;   // from the point to the end of its window
    uint32_t random; // not 0
};

// The bytes that a copy of `len` stands for. Windows begun on the way are `window` long.
uint64_t copy_stream_pass(struct copy_stream *stream, uint64_t len, uint64_t window);
