// SPDX-License-Identifier: Apache-2.0
#pragma once

// A stream of bytes, cut into stretches with one point in each, drawn evenly. What a point lies in
// stands for its stretch, so that the expected weight of a piece is its length, whatever the others
// are. How far the next point is lies with whoever counts the bytes, in `left`: at most a stretch,
// so that a piece as long as one is always noticed.
// Context: the thread itself; zero-initialised is ready

#include <stdint.h>

struct byte_stretch {
    uint32_t carry; // to be added to `left`
    uint32_t tail;  // of the stretch, after its point
    uint32_t mean;  // what the point stands for: the length of its stretch; 0: not begun
};

// The next of a sequence of random numbers, which begins with the time if `*random` is 0.
uint64_t byte_stretch_random(uint64_t *random);

// Begins with a stretch of `mean` whose point lies `chance` / 2^64 into it.
void byte_stretch_begin(struct byte_stretch *stretch, uint32_t *left, uint64_t chance,
                        uint32_t mean);

// Counts a piece of `len` bytes and returns what it stands for: 0 when it holds no point. Stretches
// that begin now are `mean` long.
uint64_t byte_stretch_pass(struct byte_stretch *stretch, uint32_t *left, uint64_t len,
                           uint32_t mean, uint64_t *random);
