// SPDX-License-Identifier: Apache-2.0
#include "agent/stretch_pool.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "agent/syscall.h"

#define CHUNK_MAX  256
#define CHUNK_SIZE ((size_t)64 * 1024)
#define SET_BYTES  (STRETCH_POOL_COUNT * sizeof(struct byte_stretch))
#define SET_COUNT  128 // in a chunk

// Chunks are mapped when they are needed, and stay.
struct chunk {
    _Atomic uint64_t taken[SET_COUNT / 64]; // a bit a set
    struct byte_stretch sets[SET_COUNT][STRETCH_POOL_COUNT];
};

_Static_assert(sizeof(struct chunk) <= CHUNK_SIZE, "more sets than there is room for");

static struct chunk *_Atomic chunks[CHUNK_MAX];

static struct chunk *get_chunk(size_t index)
{
    struct chunk *chunk = atomic_load_explicit(&chunks[index], memory_order_acquire);
    if (chunk) {
        return chunk;
    }
    long made =
        raw_mmap(NULL, CHUNK_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (made < 0 && made > -4096) {
        return NULL;
    }
    struct chunk *ours = (struct chunk *)made;
    if (atomic_compare_exchange_strong(&chunks[index], &chunk, ours)) {
        return ours;
    }
    raw_munmap(ours, CHUNK_SIZE);
    return chunk;
}

static struct byte_stretch *take_from(struct chunk *chunk)
{
    for (size_t word = 0; word < SET_COUNT / 64; word++) {
        uint64_t taken = atomic_load_explicit(&chunk->taken[word], memory_order_relaxed);
        while (~taken != 0) {
            unsigned bit = (unsigned)__builtin_ctzll(~taken);
            if (atomic_compare_exchange_weak(&chunk->taken[word], &taken, taken | 1ull << bit)) {
                return chunk->sets[word * 64 + bit];
            }
        }
    }
    return NULL;
}

struct byte_stretch *stretch_pool_take(void)
{
    for (size_t i = 0; i < CHUNK_MAX; i++) {
        struct chunk *chunk = get_chunk(i);
        if (!chunk) {
            return NULL;
        }
        struct byte_stretch *stretches = take_from(chunk);
        if (stretches) {
            memset(stretches, 0, SET_BYTES);
            return stretches;
        }
    }
    return NULL;
}

void stretch_pool_give(struct byte_stretch *stretches)
{
    for (size_t i = 0; i < CHUNK_MAX; i++) {
        struct chunk *chunk = atomic_load_explicit(&chunks[i], memory_order_acquire);
        if (!chunk) {
            return;
        }
        size_t index = ((uintptr_t)stretches - (uintptr_t)chunk->sets) / SET_BYTES;
        if ((uintptr_t)stretches >= (uintptr_t)chunk->sets && index < SET_COUNT) {
            atomic_fetch_and(&chunk->taken[index / 64], ~(1ull << index % 64));
            return;
        }
    }
}
