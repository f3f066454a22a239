// SPDX-License-Identifier: Apache-2.0
#include "agent/byte_stretch.h"

#include "agent/clock.h"

uint64_t byte_stretch_random(uint64_t *random)
{
    uint64_t x = *random;
    if (x == 0) {
        x = (clock_cycles() ^ (uint64_t)(uintptr_t)random) * 0x9e3779b97f4a7c15u | 1;
    }
    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
    return *random = x;
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

static void set_distance(struct byte_stretch *stretch, uint32_t *left, uint64_t distance)
{
    *left = distance < stretch->mean ? (uint32_t)distance : stretch->mean;
    stretch->carry = (uint32_t)(distance - *left);
}

void byte_stretch_begin(struct byte_stretch *stretch, uint32_t *left, uint64_t chance,
                        uint32_t mean)
{
    stretch->tail = 0;
    set_distance(stretch, left, draw_point(stretch, chance, mean));
}

uint64_t byte_stretch_pass(struct byte_stretch *stretch, uint32_t *left, uint64_t len,
                           uint32_t mean, uint64_t *random)
{
    uint64_t weight = 0;
    uint64_t distance = (uint64_t)*left + stretch->carry;
    while (distance <= len) {
        weight += stretch->mean;
        len -= distance;
        distance = draw_point(stretch, byte_stretch_random(random), mean);
    }
    set_distance(stretch, left, distance - len);
    return weight;
}
