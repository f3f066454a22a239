// SPDX-License-Identifier: Apache-2.0
#include "agent/cpython/allocators.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "agent/allocation.h"
#include "agent/cpython/interpreter.h"
#include "agent/session.h"

#define POOL_LARGEST 512u // bytes; what is larger, and what has no size, is malloc's
#define POOL_ROUND   16u

// PyMemAllocatorEx and PyObjectArenaAllocator, the same in all versions.
struct allocator {
    void *context;
    void *(*malloc)(void *context, size_t size);
    void *(*calloc)(void *context, size_t count, size_t size);
    void *(*realloc)(void *context, void *block, size_t size);
    void (*free)(void *context, void *block);
};

struct arena_allocator {
    void *context;
    void *(*alloc)(void *context, size_t size);
    void (*free)(void *context, void *arena, size_t size);
};

enum domain { DOMAIN_RAW, DOMAIN_MEM, DOMAIN_OBJ, DOMAIN_COUNT };

static struct {
    void (*get)(enum domain, struct allocator *);
    void (*set)(enum domain, const struct allocator *);
    void (*get_arena)(struct arena_allocator *);
    void (*set_arena)(const struct arena_allocator *);
} python;

static struct allocator below[DOMAIN_COUNT];
static struct arena_allocator arena_below;
static size_t pool_largest;    // bytes of the largest request that a pool serves; 0: malloc has all
static bool may_be_thrown_out; // something lay below us that takes itself away with all above it

static inline unsigned pool_class(size_t size)
{
    return (unsigned)(size + POOL_ROUND - 1) / POOL_ROUND;
}

// Requests of size 0 are malloc's as well.
static inline bool is_pooled(size_t size)
{
    return size - 1 < pool_largest;
}

static __attribute__((noinline)) void *marked_malloc(enum domain domain, void *context, size_t size)
{
    allocation_self.is_python = true;
    void *block = below[domain].malloc(context, size);
    allocation_self.is_python = false;
    return block;
}

static __attribute__((noinline)) void *marked_calloc(enum domain domain, void *context,
                                                     size_t count, size_t size)
{
    allocation_self.is_python = true;
    void *block = below[domain].calloc(context, count, size);
    allocation_self.is_python = false;
    return block;
}

static void *marked_realloc(enum domain domain, void *context, void *block, size_t size)
{
    allocation_self.is_python = true;
    block = below[domain].realloc(context, block, size);
    allocation_self.is_python = false;
    return block;
}

static __attribute__((noinline)) void *pooled_malloc_sampled(enum domain domain, void *context,
                                                             size_t size)
{
    void *block = below[domain].malloc(context, size);
    if (block) {
        allocation_made_in_pool(block, pool_class(size));
    }
    return block;
}

static __attribute__((noinline)) void *pooled_calloc_sampled(enum domain domain, void *context,
                                                             size_t count, size_t size)
{
    void *block = below[domain].calloc(context, count, size);
    if (block) {
        allocation_made_in_pool(block, pool_class(count * size));
    }
    return block;
}

static inline bool pool_passes(size_t size)
{
    return __builtin_expect(byte_sampler_passes_block(&allocation_self.pool, pool_class(size)), 1);
}

// A pool's block never grows: where the address changes, another block was had, and is counted as
// such; else nothing was. Blocks of malloc's are its own hook's to look after, also when they
// become so small that a pool would have served them.
static void *pooled_realloc(enum domain domain, void *context, void *old, size_t size)
{
    struct live_slot *slot = live_table_may_have(old) ? allocation_resize_begin(old) : NULL;
    if (slot && !(live_slot_block(slot)->flags & LIVE_IS_POOLED)) {
        live_slot_publish(slot, old);
        slot = NULL;
    }
    allocation_self.has_reached_realloc = false;
    void *block = marked_realloc(domain, context, old, size);
    if (slot) {
        struct allocation_resize change = {.old = old, .block = old};
        bool is_gone = block ? block != old : size == 0;
        change.block = is_gone ? NULL : old;
        allocation_resize_end(slot, &change);
    }
    if (block && block != old && is_pooled(size) && !allocation_self.has_reached_realloc &&
        !pool_passes(size)) {
        allocation_made_in_pool(block, pool_class(size));
    }
    return block;
}

static __attribute__((noinline)) void free_followed(enum domain domain, void *context, void *block)
{
    allocation_freed(block);
    below[domain].free(context, block);
}

// Each domain has functions of its own, and each keeps the context that was there: whoever reads
// the interpreter's table while it changes has a pair that works.
#define DOMAIN_FUNCTIONS(name, domain)                                                   \
    static void *name##_malloc(void *context, size_t size)                               \
    {                                                                                    \
        if (!is_pooled(size)) {                                                          \
            return marked_malloc(domain, context, size);                                 \
        }                                                                                \
        return pool_passes(size) ? below[domain].malloc(context, size)                   \
                                 : pooled_malloc_sampled(domain, context, size);         \
    }                                                                                    \
    static void *name##_calloc(void *context, size_t count, size_t size)                 \
    {                                                                                    \
        size_t bytes;                                                                    \
        if (__builtin_mul_overflow(count, size, &bytes) || !is_pooled(bytes)) {          \
            return marked_calloc(domain, context, count, size);                          \
        }                                                                                \
        return pool_passes(bytes) ? below[domain].calloc(context, count, size)           \
                                  : pooled_calloc_sampled(domain, context, count, size); \
    }                                                                                    \
    static void *name##_realloc(void *context, void *block, size_t size)                 \
    {                                                                                    \
        return block && pool_largest ? pooled_realloc(domain, context, block, size)      \
               : block               ? marked_realloc(domain, context, block, size)      \
                                     : name##_malloc(context, size);                                   \
    }                                                                                    \
    static void name##_free(void *context, void *block)                                  \
    {                                                                                    \
        if (live_table_may_have(block)) {                                                \
            free_followed(domain, context, block);                                       \
        } else {                                                                         \
            below[domain].free(context, block);                                          \
        }                                                                                \
    }

DOMAIN_FUNCTIONS(mem, DOMAIN_MEM)
DOMAIN_FUNCTIONS(obj, DOMAIN_OBJ)

static void *raw_malloc(void *context, size_t size)
{
    return marked_malloc(DOMAIN_RAW, context, size);
}

static void *raw_calloc(void *context, size_t count, size_t size)
{
    return marked_calloc(DOMAIN_RAW, context, count, size);
}

static void *raw_realloc(void *context, void *block, size_t size)
{
    return marked_realloc(DOMAIN_RAW, context, block, size);
}

static const struct allocator wrappers[DOMAIN_COUNT] = {
    [DOMAIN_RAW] = {NULL, raw_malloc, raw_calloc, raw_realloc, NULL},
    [DOMAIN_MEM] = {NULL, mem_malloc, mem_calloc, mem_realloc, mem_free},
    [DOMAIN_OBJ] = {NULL, obj_malloc, obj_calloc, obj_realloc, obj_free},
};

static void wrap(enum domain domain)
{
    python.get(domain, &below[domain]);
    struct allocator ours = wrappers[domain];
    ours.context = below[domain].context;
    if (!ours.free) {
        ours.free = below[domain].free;
    }
    python.set(domain, &ours);
}

static void *arena_alloc(void *context, size_t size)
{
    allocators_look();
    bool was_inner = allocation_is_inner;
    allocation_is_inner = true;
    void *arena = arena_below.alloc(context, size);
    allocation_is_inner = was_inner;
    return arena;
}

static void wrap_arenas(void)
{
    if (python.get_arena && python.set_arena) {
        python.get_arena(&arena_below);
        struct arena_allocator ours = arena_below;
        ours.alloc = arena_alloc;
        python.set_arena(&ours);
    }
}

// Whether a request of `size` ends in a block of malloc's, and whether malloc is asked for anything
// at all meanwhile.
static bool reaches_malloc(size_t size, bool *asks_malloc)
{
    struct allocator allocator;
    python.get(DOMAIN_OBJ, &allocator);
    struct allocation_watch watch;
    allocation_watch_begin(&watch);
    void *block = allocator.malloc(allocator.context, size);
    allocation_watch_end();
    bool is_inside = false;
    for (unsigned i = 0; i < watch.count; i++) {
        is_inside |= (uintptr_t)block - watch.starts[i] < watch.sizes[i];
    }
    *asks_malloc = watch.count > 0;
    allocator.free(allocator.context, block);
    return is_inside || !block;
}

// The debug layers put some bytes around each object, so that pools serve a little less.
static void probe_pool(void)
{
    bool asks_malloc;
    pool_largest = reaches_malloc(POOL_ROUND, &asks_malloc) ? 0 : POOL_LARGEST;
    may_be_thrown_out = pool_largest != 0 && asks_malloc;
    while (pool_largest >= POOL_ROUND && reaches_malloc(pool_largest, &asks_malloc)) {
        pool_largest -= 8;
    }
}

static bool find_functions(void)
{
    python.get =
        (void (*)(enum domain, struct allocator *))interpreter_symbol("PyMem_GetAllocator");
    python.set =
        (void (*)(enum domain, const struct allocator *))interpreter_symbol("PyMem_SetAllocator");
    python.get_arena =
        (void (*)(struct arena_allocator *))interpreter_symbol("PyObject_GetArenaAllocator");
    python.set_arena =
        (void (*)(const struct arena_allocator *))interpreter_symbol("PyObject_SetArenaAllocator");
    return python.get && python.set;
}

static void wrap_all(void)
{
    wrap(DOMAIN_RAW);
    wrap(DOMAIN_MEM);
    wrap(DOMAIN_OBJ);
}

void allocators_install(void)
{
    if (interpreter.flags & INTERPRETER_IS_FREE_THREADED || !find_functions()) {
        return;
    }
    probe_pool();
    wrap_all();
    wrap_arenas();
}

void allocators_look(void)
{
    if (!may_be_thrown_out || !interpreter_thread().holds_gil) {
        return;
    }
    struct allocator now;
    python.get(DOMAIN_OBJ, &now);
    if (now.malloc == obj_malloc) {
        return;
    }
    session_count(COUNTER_allocators_replaced, 1);
    allocation_lose_pool();
    probe_pool();
    wrap_all();
}
