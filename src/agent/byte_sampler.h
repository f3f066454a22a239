// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which of the blocks a thread allocates are recorded: one point is drawn in every so many bytes of
// the stream, uniformly in each stretch, and the blocks that hold a point stand for the stretch.
// Sizes have streams of their own, so that the blocks of a loop that alternates between sizes are
// each seen evenly. What is as large as a stretch is taken always, at its own size.
// Context: the thread itself; zero-initialised is ready

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "agent/byte_stretch.h"

#define BYTE_SAMPLER_SMALL    512u // the largest size with a stream of its own, in steps of 16
#define BYTE_SAMPLER_CLASSES  (BYTE_SAMPLER_SMALL / 16 + 2)
#define BYTE_SAMPLER_MEAN_MAX (1u << 30)

struct byte_sampler {
    uint32_t left[BYTE_SAMPLER_CLASSES]; // bytes to the next point, but at most its mean
    struct byte_stretch *stretches;      // one a class, had when the first point is drawn
    uint64_t random;
};

static inline unsigned byte_sampler_class(size_t size)
{
    return size <= BYTE_SAMPLER_SMALL ? (unsigned)size / 16 : BYTE_SAMPLER_CLASSES - 1;
}

// Counts `added` bytes of a block of `size` and says that it need not be recorded; false, with
// nothing counted, where byte_sampler_draw must be asked. One comparison, as `left` is at most the
// mean.
static inline bool byte_sampler_passes(struct byte_sampler *sampler, size_t size, size_t added)
{
    uint32_t *left = &sampler->left[byte_sampler_class(size)];
    if (size < *left) {
        *left -= (uint32_t)added;
        return true;
    }
    return false;
}

struct byte_draw {
    uint64_t weight; // of the `added` bytes; 0: no point was hit
    uint32_t mean;   // of the stretch that the point was in
    bool is_exact;   // the block is taken as it is: it stands for its own size
};

// The same with an answer. Stretches that begin now are `mean` long.
struct byte_draw byte_sampler_draw(struct byte_sampler *sampler, size_t size, size_t added,
                                   uint32_t mean);

// The same for what a block that stands for itself has grown by: less than a stretch is recorded
// where a point hits it, whatever the size of the block.
struct byte_draw byte_sampler_draw_growth(struct byte_sampler *sampler, size_t added,
                                          uint32_t mean);

// For blocks that all have the size of their class: how many pass before byte_sampler_draw_block
// must be asked is in `left`, and counting costs one instruction.
static inline bool byte_sampler_passes_block(struct byte_sampler *sampler, unsigned class)
{
    return (int32_t)--sampler->left[class] >= 0;
}

struct byte_draw byte_sampler_draw_block(struct byte_sampler *sampler, unsigned class,
                                         uint32_t mean);

// Begins anew, as if zero-initialised.
void byte_sampler_clear(struct byte_sampler *sampler);

// The thread ends: from now on all passes.
void byte_sampler_end(struct byte_sampler *sampler);

// Passes about `bytes` of a size unseen: for a thread that need not be asked for a while.
void byte_sampler_rest(struct byte_sampler *sampler, size_t size, uint32_t bytes);
