// SPDX-License-Identifier: Apache-2.0
#pragma once

// How much memory a block of the program's allocator takes. glibc writes it in front of the block,
// where freeing it has to look anyway; any other allocator is asked.
// Context: any thread, signal handler

#include <stdbool.h>
#include <stddef.h>

extern bool block_size_is_in_header; // false until it is known

// The slow way; finds out which way it is at the first call.
size_t block_size_ask(void *block);

static inline size_t block_size_in_header(const void *block)
{
    return ((const size_t *)block)[-1] & ~(size_t)7;
}

// Of a block that the real allocator has given and not taken back.
static inline size_t block_size(void *block)
{
    if (__builtin_expect(block_size_is_in_header, 1)) {
        return block_size_in_header(block);
    }
    return block_size_ask(block);
}
