// SPDX-License-Identifier: Apache-2.0
#include "agent/byte_sampler.h"

#include <stdatomic.h>
#include <string.h>

#include "agent/stretch_pool.h"

#define REST_BYTES (1u << 20) // of a thread that could have no stretches

_Static_assert(STRETCH_POOL_COUNT == BYTE_SAMPLER_CLASSES, "one a class");

// The first points of many threads are spread over their first stretches as evenly as can be, so
// that a crowd of threads that allocate little each is seen as well as one that allocates much.
static uint64_t first_chance(struct byte_sampler *sampler, unsigned class)
{
    static _Atomic uint32_t spread[BYTE_SAMPLER_CLASSES];
    uint32_t expected = 0;
    atomic_compare_exchange_strong(&spread[class], &expected,
                                   (uint32_t)byte_stretch_random(&sampler->random) | 1);
    return (uint64_t)atomic_fetch_add(&spread[class], 0x9e3779b9u) << 32; // the golden section
}

struct byte_draw byte_sampler_draw(struct byte_sampler *sampler, size_t size, size_t added,
                                   uint32_t mean)
{
    unsigned class = byte_sampler_class(size);
    uint32_t *left = &sampler->left[class];
    if (!sampler->stretches) {
        sampler->stretches = stretch_pool_take();
    }
    if (!sampler->stretches) {
        *left = REST_BYTES;
        return (struct byte_draw){.mean = mean};
    }
    struct byte_stretch *stretch = &sampler->stretches[class];
    if (stretch->mean == 0) {
        byte_stretch_begin(stretch, left, first_chance(sampler, class), mean);
    }
    struct byte_draw draw = {.mean = stretch->mean};
    if (size >= stretch->mean) {
        draw.weight = added;
        draw.is_exact = true;
    } else {
        draw.weight = byte_stretch_pass(stretch, left, added, mean, &sampler->random);
    }
    return draw;
}

// Large blocks have one stream, and this is theirs however little they grow by.
struct byte_draw byte_sampler_draw_growth(struct byte_sampler *sampler, size_t added, uint32_t mean)
{
    size_t least = BYTE_SAMPLER_SMALL + 1;
    return byte_sampler_draw(sampler, added > least ? added : least, added, mean);
}

// The distance to the next point is all in `carry`, less what the blocks that may pass will take.
struct byte_draw byte_sampler_draw_block(struct byte_sampler *sampler, unsigned class,
                                         uint32_t mean)
{
    uint32_t size = class ? class * 16 : 16;
    sampler->left[class] = 0;
    struct byte_draw draw = byte_sampler_draw(sampler, size, size, mean);
    if (!sampler->stretches) {
        return draw;
    }
    struct byte_stretch *stretch = &sampler->stretches[class];
    uint32_t distance = sampler->left[class] + stretch->carry;
    bool none_may_pass = size >= stretch->mean;
    sampler->left[class] = none_may_pass ? 0 : (distance - 1) / size;
    stretch->carry = distance - sampler->left[class] * size;
    return draw;
}

void byte_sampler_clear(struct byte_sampler *sampler)
{
    struct byte_stretch *stretches = sampler->stretches;
    if (stretches) {
        memset(stretches, 0, BYTE_SAMPLER_CLASSES * sizeof *stretches);
    }
    *sampler = (struct byte_sampler){.stretches = stretches};
}

void byte_sampler_end(struct byte_sampler *sampler)
{
    for (unsigned i = 0; i < BYTE_SAMPLER_CLASSES; i++) {
        sampler->left[i] = INT32_MAX;
    }
    if (sampler->stretches) {
        stretch_pool_give(sampler->stretches);
        sampler->stretches = NULL;
    }
}

void byte_sampler_rest(struct byte_sampler *sampler, size_t size, uint32_t bytes)
{
    unsigned class = byte_sampler_class(size);
    if (sampler->stretches) {
        sampler->stretches[class] = (struct byte_stretch){0};
    }
    sampler->left[class] = bytes;
}
