// SPDX-License-Identifier: Apache-2.0
#include "agent/byte_sampler.h"

#include <stdatomic.h>

#include "agent/clock.h"

static uint64_t draw_random(struct byte_sampler *sampler)
{
    uint64_t x = sampler->random;
    if (x == 0) {
        x = (clock_cycles() ^ (uint64_t)(uintptr_t)sampler) * 0x9e3779b97f4a7c15u | 1;
    }
    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
    return sampler->random = x;
}

// The first points of many threads are spread over their first stretches as evenly as can be, so
// that a crowd of threads that allocate little each is seen as well as one that allocates much.
static uint64_t first_chance(struct byte_sampler *sampler, unsigned class)
{
    static _Atomic uint32_t spread[BYTE_SAMPLER_CLASSES];
    uint32_t expected = 0;
    atomic_compare_exchange_strong(&spread[class], &expected, (uint32_t)draw_random(sampler) | 1);
    return (uint64_t)atomic_fetch_add(&spread[class], 0x9e3779b9u) << 32; // the golden section
}

// The next point: in the stretch after the one that ends in `tail` bytes. Returns its distance.
static uint64_t draw_point(struct byte_stretch *stretch, uint64_t chance, uint32_t mean)
{
    uint32_t at = 1 + (uint32_t)((chance >> 32) * mean >> 32);
    uint64_t distance = (uint64_t)stretch->tail + at;
    stretch->tail = mean - at;
    stretch->mean = mean;
    return distance;
}

struct byte_draw byte_sampler_draw(struct byte_sampler *sampler, size_t size, size_t added,
                                   uint32_t mean)
{
    unsigned class = byte_sampler_class(size);
    struct byte_stretch *stretch = &sampler->stretches[class];
    uint64_t distance = (uint64_t)sampler->left[class] + stretch->carry;
    if (stretch->mean == 0) {
        stretch->tail = 0;
        distance = draw_point(stretch, first_chance(sampler, class), mean);
    }
    struct byte_draw draw = {.mean = stretch->mean};
    if (size >= stretch->mean) {
        draw.weight = added;
        draw.is_exact = true;
        added = 0;
    }
    uint64_t rest = added;
    while (distance <= rest) {
        draw.weight += stretch->mean;
        rest -= distance;
        distance = draw_point(stretch, draw_random(sampler), mean);
    }
    distance -= rest;
    sampler->left[class] = distance < stretch->mean ? (uint32_t)distance : stretch->mean;
    stretch->carry = (uint32_t)(distance - sampler->left[class]);
    return draw;
}

// The distance to the next point is all in `carry`, less what the blocks that may pass will take.
struct byte_draw byte_sampler_draw_block(struct byte_sampler *sampler, unsigned class,
                                         uint32_t mean)
{
    uint32_t size = class ? class * 16 : 16;
    sampler->left[class] = 0;
    struct byte_draw draw = byte_sampler_draw(sampler, size, size, mean);
    struct byte_stretch *stretch = &sampler->stretches[class];
    uint32_t distance = sampler->left[class] + stretch->carry;
    bool none_may_pass = size >= stretch->mean;
    sampler->left[class] = none_may_pass ? 0 : (distance - 1) / size;
    stretch->carry = distance - sampler->left[class] * size;
    return draw;
}

void byte_sampler_rest(struct byte_sampler *sampler, size_t size, uint32_t bytes)
{
    unsigned class = byte_sampler_class(size);
    sampler->stretches[class] = (struct byte_stretch){0};
    sampler->left[class] = bytes;
}
