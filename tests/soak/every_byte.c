// SPDX-License-Identifier: Apache-2.0
// Threads that allocate in every way, hand blocks to one another, and look at every byte of them
// before they resize or free them. A byte that is not as it was left, an address given out twice or
// a wrong alignment is an error.
#include <malloc.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

enum { SLOT_COUNT = 4096, THREAD_MAX = 64 };

struct block {
    size_t size; // of the whole, this included
    uint64_t seed;
    uint64_t is_mapped;
};

struct worker {
    pthread_t thread;
    uint64_t random;
    uint64_t operations;
};

static _Atomic(struct block *) slots[SLOT_COUNT];
static atomic_long error_count;
static atomic_bool is_over;

static uint64_t draw(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

static size_t draw_size(uint64_t *random)
{
    uint64_t kind = draw(random) % 1000;
    size_t limit = kind < 800 ? 600 : kind < 990 ? 20000 : kind < 999 ? 300000 : 3000000;
    return sizeof(struct block) + draw(random) % limit;
}

static unsigned char byte_at(const struct block *block, size_t i)
{
    return (unsigned char)(block->seed + i * 31 + (i >> 8));
}

static void fill(struct block *block, size_t from)
{
    unsigned char *bytes = (unsigned char *)block;
    for (size_t i = from; i < block->size; i++) {
        bytes[i] = byte_at(block, i);
    }
}

static void complain(const char *what, const struct block *block, size_t i)
{
    if (atomic_fetch_add(&error_count, 1) < 10) {
        fprintf(stderr, "%s: block %p of %zu bytes, byte %zu\n", what, (const void *)block,
                block->size, i);
    }
}

static void check(const struct block *block, size_t until, const char *when)
{
    const unsigned char *bytes = (const unsigned char *)block;
    for (size_t i = sizeof *block; i < until; i++) {
        if (bytes[i] != byte_at(block, i)) {
            complain(when, block, i);
            return;
        }
    }
}

static void *allocate_aligned(size_t size, uint64_t *random)
{
    size_t alignment = (size_t)16 << draw(random) % 9;
    void *address = NULL;
    switch (draw(random) % 4) {
    case 0:
        address = memalign(alignment, size);
        break;
    case 1:
        address = aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
        break;
    case 2:
        address = posix_memalign(&address, alignment, size) == 0 ? address : NULL;
        break;
    default:
        address = valloc(size);
        alignment = 4096;
    }
    if ((uintptr_t)address % alignment) {
        fprintf(stderr, "%p is not aligned to %zu\n", address, alignment);
        atomic_fetch_add(&error_count, 1);
    }
    return address;
}

static void *allocate_zeroed(size_t size)
{
    unsigned char *bytes = calloc(1, size);
    for (size_t i = 0; bytes && i < size; i++) {
        if (bytes[i]) {
            fprintf(stderr, "calloc gave a byte that is not zero at %zu of %zu\n", i, size);
            atomic_fetch_add(&error_count, 1);
            break;
        }
    }
    return bytes;
}

static struct block *make(uint64_t *random)
{
    size_t size = draw_size(random);
    uint64_t way = draw(random) % 20;
    bool is_mapped = way == 0;
    struct block *block;
    if (is_mapped) {
        block = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        block = block == MAP_FAILED ? NULL : block;
    } else if (way < 4) {
        block = allocate_aligned(size, random);
    } else {
        block = way < 8 ? allocate_zeroed(size) : way < 10 ? realloc(NULL, size) : malloc(size);
    }
    if (block) {
        *block = (struct block){size, draw(random), is_mapped};
        fill(block, sizeof *block);
    }
    return block;
}

static struct block *resize(struct block *block, uint64_t *random)
{
    size_t old_size = block->size;
    size_t new_size = draw_size(random);
    struct block *moved;
    if (block->is_mapped) {
        moved = mremap(block, old_size, new_size, MREMAP_MAYMOVE);
        moved = moved == MAP_FAILED ? NULL : moved;
    } else {
        moved = draw(random) % 2 ? realloc(block, new_size) : reallocarray(block, 1, new_size);
    }
    if (!moved) {
        return block;
    }
    check(moved, old_size < new_size ? old_size : new_size, "after resizing");
    moved->size = new_size;
    fill(moved, old_size < new_size ? old_size : new_size);
    return moved;
}

static void discard(struct block *block)
{
    if (block->is_mapped) {
        munmap(block, block->size);
    } else {
        free(block);
    }
}

static void *work(void *argument)
{
    struct worker *worker = argument;
    while (!atomic_load_explicit(&is_over, memory_order_relaxed)) {
        _Atomic(struct block *) *slot = &slots[draw(&worker->random) % SLOT_COUNT];
        struct block *block = atomic_exchange(slot, NULL);
        if (!block) {
            block = make(&worker->random);
        } else {
            check(block, block->size, "before its end");
            if (draw(&worker->random) % 3) {
                discard(block);
                block = NULL;
            } else {
                block = resize(block, &worker->random);
            }
        }
        block = block ? atomic_exchange(slot, block) : NULL;
        if (block) { // another was faster
            check(block, block->size, "of another thread");
            discard(block);
        }
        worker->operations++;
    }
    return NULL;
}

// What the child of a fork does: it has a copy of every block, and an allocator that must work.
long every_byte_in_child(uint64_t seed)
{
    uint64_t random = seed | 1;
    atomic_store(&error_count, 0);
    for (int i = 0; i < SLOT_COUNT; i++) {
        struct block *block = atomic_load(&slots[i]);
        if (block && draw(&random) % 8 == 0) {
            check(block, block->size, "in a child");
            discard(resize(block, &random));
        } else if (!block) {
            block = make(&random);
            check(block, block->size, "made in a child");
            discard(block);
        }
    }
    return atomic_load(&error_count);
}

// Runs threads for so many seconds, with new ones every second. Returns errors; operations go out.
long every_byte(int threads, double seconds, uint64_t seed, uint64_t *operations)
{
    static struct worker workers[THREAD_MAX];
    threads = threads > THREAD_MAX ? THREAD_MAX : threads;
    *operations = 0;
    for (int round = 0; round < seconds; round++) {
        atomic_store(&is_over, false);
        for (int i = 0; i < threads; i++) {
            workers[i] = (struct worker){
                .random = seed + 1 + (uint64_t)(round * THREAD_MAX + i) * 0x9e3779b97f4a7c15u};
            pthread_create(&workers[i].thread, NULL, work, &workers[i]);
        }
        nanosleep(&(struct timespec){1, 0}, NULL);
        atomic_store(&is_over, true);
        for (int i = 0; i < threads; i++) {
            pthread_join(workers[i].thread, NULL);
            *operations += workers[i].operations;
        }
    }
    for (int i = 0; i < SLOT_COUNT; i++) {
        struct block *block = atomic_exchange(&slots[i], NULL);
        if (block) {
            check(block, block->size, "at the end");
            discard(block);
        }
    }
    return atomic_load(&error_count);
}
