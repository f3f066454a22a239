// SPDX-License-Identifier: Apache-2.0
#include "agent/copy_stream.h"

static uint64_t draw_below(struct copy_stream *stream, uint64_t limit)
{
    uint32_t x = stream->random;
    x ^= x << 13;
    x ^= x >> 17;
    x ^= x << 5;
    stream->random = x;
    return limit * x >> 32;
}

// How far the next point is from the end of the last window, and what its own has behind it.
static uint64_t draw_point(struct copy_stream *stream, uint64_t window)
{
    uint64_t at = 1 + draw_below(stream, window);
    stream->window = window;
    stream->tail = window - at;
    return at;
}

uint64_t copy_stream_pass(struct copy_stream *stream, uint64_t len, uint64_t window)
{
    if (stream->window == 0) {
        stream->left = draw_point(stream, window);
        stream->carry = 0;
    }
    if (len >= stream->window) {
        return len;
    }
    uint64_t weight = 0;
    uint64_t distance = stream->left + stream->carry;
    while (distance <= len) {
        weight += stream->window;
        len -= distance;
        distance = stream->tail;
        distance += draw_point(stream, window);
    }
    distance -= len;
    stream->left = distance < stream->window ? distance : stream->window;
    stream->carry = distance - stream->left;
    return weight;
}
