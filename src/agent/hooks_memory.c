// SPDX-License-Identifier: Apache-2.0

// Hooks of the allocator. Each calls the next allocator's own function, and notes by how much the
// program's memory has changed; most end there, after one comparison. errno and the result are the
// original's.

#include <errno.h>
#include <malloc.h>
#include <stdint.h>

#include "agent/allocation.h"
#include "agent/block_size.h"
#include "agent/footprint.h"
#include "agent/hook.h"

// A block is told of before the footprint that it raises: who is killed by the next instruction has
// held it at the peak.
static inline __attribute__((always_inline)) void made(void *block)
{
    if (__builtin_expect(block != NULL, 1)) {
        size_t size = block_size(block);
        if (__builtin_expect(!byte_sampler_passes(&allocation_self.heap, size, size), 0)) {
            allocation_made(block, size, 0);
        }
        footprint_add((int64_t)size);
    }
}

#define X(type, name, parameters, arguments, version) \
    type name parameters                              \
    {                                                 \
        type block = REAL(name) arguments;            \
        made(block);                                  \
        return block;                                 \
    }

HOOKS_ALLOCATE(X)

#undef X

int posix_memalign(void **block, size_t alignment, size_t size)
{
    int status = REAL(posix_memalign)(block, alignment, size);
    if (status == 0) {
        made(*block);
    }
    return status;
}

static __attribute__((noinline)) void free_slowly(void *block)
{
    if (block) {
        if (live_table_may_have(block)) {
            allocation_freed(block);
        }
        footprint_add(-(int64_t)block_size(block));
    }
    REAL(free)(block);
}

static __attribute__((noinline)) void free_settling(void *block)
{
    footprint_settle();
    real.free(block);
}

// The common case in one straight line that needs no stack of its own.
void free(void *block)
{
    if (__builtin_expect(!block || !real.free || !block_size_is_in_header, 0) ||
        live_table_may_have(block)) {
        free_slowly(block);
        return;
    }
    if (footprint_owe(-(int64_t)block_size_in_header(block))) {
        free_settling(block);
        return;
    }
    real.free(block);
}

void cfree(void *block)
{
    free(block);
}

// Growing by little is common and cheap; what is followed is another matter.
static void resized(void *block, size_t old_size)
{
    size_t size = block_size(block);
    if (size > old_size && !byte_sampler_passes(&allocation_self.heap, size, size - old_size)) {
        allocation_grew(block, old_size, size);
    }
    footprint_add((int64_t)size - (int64_t)old_size);
}

static void *realloc_followed(void *old, size_t size, size_t old_size)
{
    struct live_slot *slot = allocation_resize_begin(old);
    void *block = REAL(realloc)(old, size);
    if (!slot) {
        if (block) {
            resized(block, old_size);
        } else if (size == 0) {
            footprint_add(-(int64_t)old_size);
        }
        return block;
    }
    struct allocation_resize change = {.old = old, .block = block, .old_size = old_size};
    if (block) {
        change.size = block_size(block);
    } else if (size != 0) {
        change.block = old; // it failed, and nothing has changed
        change.size = old_size;
    }
    int64_t added = (int64_t)change.size - (int64_t)old_size;
    footprint_add(added < 0 ? added : 0);
    allocation_resize_end(slot, &change);
    footprint_add(added > 0 ? added : 0);
    return block;
}

void *realloc(void *old, size_t size)
{
    allocation_self.has_reached_realloc = true;
    if (!old) {
        void *block = REAL(realloc)(NULL, size);
        made(block);
        return block;
    }
    size_t old_size = block_size(old);
    if (live_table_may_have(old)) {
        return realloc_followed(old, size, old_size);
    }
    void *block = REAL(realloc)(old, size);
    if (block) {
        resized(block, old_size);
    } else if (size == 0) {
        footprint_add(-(int64_t)old_size);
    }
    return block;
}

// As the C library does it: one way for all allocators, some of which lack it.
void *reallocarray(void *old, size_t count, size_t size)
{
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes)) {
        errno = ENOMEM;
        return NULL;
    }
    return realloc(old, bytes);
}

size_t malloc_usable_size(void *block)
{
    return REAL(malloc_usable_size)(block);
}
