// SPDX-License-Identifier: Apache-2.0
#include "agent/cpython/allocators.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

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
static bool is_wrapped[DOMAIN_COUNT];
static struct arena_allocator arena_below;
static size_t pool_largest;    // bytes of the largest request that a pool serves; 0: malloc has all
static bool may_be_thrown_out; // something lay below us that takes itself away with all above it

// A small object that is to be followed is taken from malloc in place of a pool: the interpreter
// gives it back there by itself, and no free of all the others has to be looked at.
static bool goes_beside_pools;

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

// Asked for as what no pool serves, so that the interpreter counts it as a block that it has, and
// then cut down.
static void *beside_pools(enum domain domain, void *context, size_t size, bool is_zeroed)
{
    bool was_inner = allocation_is_inner;
    allocation_is_inner = true;
    const struct allocator *allocator = &below[domain];
    void *block = is_zeroed ? allocator->calloc(context, 1, POOL_LARGEST + 1)
                            : allocator->malloc(context, POOL_LARGEST + 1);
    void *cut = block ? allocator->realloc(context, block, pool_class(size) * POOL_ROUND) : NULL;
    allocation_is_inner = was_inner;
    return cut ? cut : block;
}

static void *from_pool(enum domain domain, void *context, size_t size, bool is_zeroed)
{
    return is_zeroed ? below[domain].calloc(context, 1, size) : below[domain].malloc(context, size);
}

static __attribute__((noinline)) void *pooled_sampled(enum domain domain, void *context,
                                                      size_t size, bool is_zeroed)
{
    unsigned class = pool_class(size);
    struct byte_draw draw = allocation_draw_in_pool(class);
    void *block = draw.weight != 0 && goes_beside_pools
                      ? beside_pools(domain, context, size, is_zeroed)
                      : NULL;
    unsigned flags = block ? LIVE_IS_BESIDE : LIVE_IS_POOLED;
    block = block ? block : from_pool(domain, context, size, is_zeroed);
    if (block && draw.weight != 0) {
        allocation_made_in_pool(block, class, &draw, flags);
    }
    return block;
}

static inline bool pool_passes(size_t size)
{
    return __builtin_expect(byte_sampler_passes_block(&allocation_self.pool, pool_class(size)), 1);
}

// Another block was had by realloc. It is followed where its free will be seen: else it is had once
// more, beside the pools.
static void *moved(enum domain domain, void *context, void *block, size_t size)
{
    unsigned class = pool_class(size);
    struct byte_draw draw = allocation_draw_in_pool(class);
    if (draw.weight == 0) {
        return block;
    }
    void *other = goes_beside_pools ? beside_pools(domain, context, size, false) : NULL;
    if (goes_beside_pools && !other) {
        return block;
    }
    if (other) {
        memcpy(other, block, size);
        below[domain].free(context, block);
        block = other;
    }
    allocation_made_in_pool(block, class, &draw, other ? LIVE_IS_BESIDE : LIVE_IS_POOLED);
    return block;
}

// What the pools would do, so that such a block is counted like its like: what becomes a little
// smaller stays, anything else is another block.
static void *resized_beside(enum domain domain, void *context, void *old, size_t old_size,
                            size_t size)
{
    if (size <= old_size && 4 * size > 3 * old_size) {
        return old;
    }
    void *block = !is_pooled(size)    ? marked_malloc(domain, context, size)
                  : pool_passes(size) ? below[domain].malloc(context, size)
                                      : pooled_sampled(domain, context, size, false);
    if (block) {
        memcpy(block, old, size < old_size ? size : old_size);
        below[domain].free(context, old);
    }
    return block;
}

// A pool's block never grows: where the address changes, another block was had, and is counted as
// such; else nothing was. Blocks of malloc's are its own hook's to look after, also when they
// become so small that a pool would have served them.
static void *pooled_realloc(enum domain domain, void *context, void *old, size_t size)
{
    struct live_slot *slot = live_table_may_have(old) ? allocation_resize_begin(old) : NULL;
    if (slot && !(live_slot_block(slot)->flags & LIVE_IS_POOLED)) {
        struct live_block block = *live_slot_block(slot);
        live_slot_publish(slot, old);
        slot = NULL;
        if (block.flags & LIVE_IS_BESIDE) {
            return resized_beside(domain, context, old, block.size, size);
        }
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
        return moved(domain, context, block, size);
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
#define DOMAIN_FUNCTIONS(name, domain)                                              \
    static void *name##_malloc(void *context, size_t size)                          \
    {                                                                               \
        if (!is_pooled(size)) {                                                     \
            return marked_malloc(domain, context, size);                            \
        }                                                                           \
        return pool_passes(size) ? below[domain].malloc(context, size)              \
                                 : pooled_sampled(domain, context, size, false);    \
    }                                                                               \
    static void *name##_calloc(void *context, size_t count, size_t size)            \
    {                                                                               \
        size_t bytes;                                                               \
        if (__builtin_mul_overflow(count, size, &bytes) || !is_pooled(bytes)) {     \
            return marked_calloc(domain, context, count, size);                     \
        }                                                                           \
        return pool_passes(bytes) ? below[domain].calloc(context, count, size)      \
                                  : pooled_sampled(domain, context, bytes, true);   \
    }                                                                               \
    static void *name##_realloc(void *context, void *block, size_t size)            \
    {                                                                               \
        return block && pool_largest ? pooled_realloc(domain, context, block, size) \
               : block               ? marked_realloc(domain, context, block, size) \
                                     : name##_malloc(context, size);                              \
    }                                                                               \
    static void name##_free(void *context, void *block)                             \
    {                                                                               \
        if (live_table_may_have(block)) {                                           \
            free_followed(domain, context, block);                                  \
        } else {                                                                    \
            below[domain].free(context, block);                                     \
        }                                                                           \
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
    if (!ours.free || goes_beside_pools) {
        ours.free = below[domain].free;
    }
    python.set(domain, &ours);
    is_wrapped[domain] = true;
}

// Somebody who came after us keeps our functions as what lies below his own: then they stay, and
// must not be put above him as well.
static void unwrap(enum domain domain)
{
    struct allocator now;
    python.get(domain, &now);
    if (is_wrapped[domain] && now.malloc == wrappers[domain].malloc) {
        python.set(domain, &below[domain]);
        is_wrapped[domain] = false;
    }
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
    if (!python.get_arena || !python.set_arena) {
        return;
    }
    struct arena_allocator ours;
    python.get_arena(&ours);
    if (ours.alloc != arena_alloc) {
        arena_below = ours;
        ours.alloc = arena_alloc;
        python.set_arena(&ours);
    }
}

static void unwrap_arenas(void)
{
    struct arena_allocator now;
    if (!python.get_arena || !python.set_arena) {
        return;
    }
    python.get_arena(&now);
    if (now.alloc == arena_alloc) {
        python.set_arena(&arena_below);
    }
}

// What becomes of a request.
struct answer {
    bool asks_malloc;    // for anything at all
    bool reaches_malloc; // the block is inside one of malloc's ...
    bool is_malloc_own;  // ... and all of it
};

static struct answer ask(enum domain domain, size_t size)
{
    struct allocator allocator;
    python.get(domain, &allocator);
    struct allocation_watch watch;
    allocation_watch_begin(&watch);
    void *block = allocator.malloc(allocator.context, size);
    allocation_watch_end();
    struct answer answer = {.asks_malloc = watch.count > 0, .reaches_malloc = !block};
    for (unsigned i = 0; i < watch.count; i++) {
        answer.reaches_malloc |= (uintptr_t)block - watch.starts[i] < watch.sizes[i];
        answer.is_malloc_own |= watch.count == 1 && (uintptr_t)block == watch.starts[i];
    }
    allocator.free(allocator.context, block);
    return answer;
}

// A pool that has just run out asks for more, once.
static bool always_asks_malloc(enum domain domain)
{
    return ask(domain, POOL_ROUND).asks_malloc && ask(domain, POOL_ROUND).asks_malloc;
}

static bool is_plain(enum domain domain)
{
    return !always_asks_malloc(domain) && !ask(domain, POOL_LARGEST).reaches_malloc &&
           ask(domain, POOL_LARGEST + 1).is_malloc_own;
}

// The debug layers put some bytes around each object, so that pools serve a little less.
static void probe_pool(void)
{
    pool_largest = ask(DOMAIN_OBJ, POOL_ROUND).reaches_malloc ? 0 : POOL_LARGEST;
    may_be_thrown_out = pool_largest != 0 && always_asks_malloc(DOMAIN_OBJ);
    while (pool_largest >= POOL_ROUND && ask(DOMAIN_OBJ, pool_largest).reaches_malloc) {
        pool_largest -= 8;
    }
    if (!is_wrapped[DOMAIN_MEM] && !is_wrapped[DOMAIN_OBJ]) { // else they are as they are
        goes_beside_pools = is_plain(DOMAIN_MEM) && is_plain(DOMAIN_OBJ);
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
    for (enum domain domain = DOMAIN_RAW; domain < DOMAIN_COUNT; domain++) {
        if (!is_wrapped[domain]) {
            wrap(domain);
        }
    }
    wrap_arenas();
}

void allocators_remove(void)
{
    if (!python.get || !python.set) {
        return;
    }
    for (enum domain domain = DOMAIN_RAW; domain < DOMAIN_COUNT; domain++) {
        unwrap(domain);
    }
    unwrap_arenas();
    may_be_thrown_out = false;
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
