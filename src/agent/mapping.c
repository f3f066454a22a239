// SPDX-License-Identifier: Apache-2.0
#include "agent/mapping.h"

#include <sys/mman.h>

#include "agent/footprint.h"
#include "agent/session.h"
#include "agent/symbol.h"

#define BOUNDLESS_MIN ((size_t)1 << 30)

// The library whose malloc the program uses. It maps memory for its blocks, which are counted one
// by one; the C library's own does so where no hook sees it, others do not.
static struct symbol_bounds allocator;

__attribute__((constructor)) static void find_allocator(void)
{
    struct symbol_scope scope;
    symbol_scope_init(&scope);
    void *address = symbol_find(&scope, "malloc", "GLIBC_2.2.5");
    allocator = symbol_bounds_of(address);
}

bool mapping_is_followed(const void *caller)
{
    uintptr_t address = (uintptr_t)caller;
    bool is_on =
        session.has_memory && atomic_load_explicit(&session.is_active, memory_order_relaxed);
    return is_on && (address < allocator.start || address >= allocator.end);
}

static uintptr_t whole_pages(size_t len)
{
    return (len + REGION_PAGE - 1) & ~(uintptr_t)(REGION_PAGE - 1);
}

static void count(enum region_kind kind, int64_t bytes)
{
    switch (kind) {
    case REGION_MEMORY:
    case REGION_BLOCK:
        footprint_add(bytes);
        break;
    case REGION_FILE:
        footprint_add_file(bytes);
        break;
    case REGION_SHARED:
        footprint_add_shared(bytes);
        break;
    default:
        break;
    }
}

static enum region_kind kind_of(size_t size, int protection, int flags)
{
    if (!(flags & MAP_ANONYMOUS)) {
        return (flags & MAP_TYPE) == MAP_PRIVATE ? REGION_FILE : REGION_SHARED;
    }
    if (!(protection & PROT_WRITE)) {
        return flags & MAP_NORESERVE ? REGION_BOUNDLESS : REGION_RESERVED;
    }
    return flags & MAP_NORESERVE && size >= BOUNDLESS_MIN ? REGION_BOUNDLESS : REGION_BLOCK;
}

static bool enter(uintptr_t start, size_t size, enum region_kind kind)
{
    bool is_entered = region_table_add((struct region){start, size, kind});
    if (!is_entered) {
        session_count(COUNTER_regions_untracked, 1);
    }
    return is_entered;
}

static void begin(uintptr_t start, size_t size, enum region_kind kind)
{
    if (kind == REGION_BLOCK && (!mapped_block_is_wanted() || region_table_is_crowded())) {
        kind = REGION_MEMORY;
    }
    if (!enter(start, size, kind)) {
        return;
    }
    if (kind == REGION_BLOCK) { // before the footprint that it raises, as of blocks of malloc's
        mapped_block_made(start, size);
    }
    count(kind, (int64_t)size);
}

static bool is_whole(const struct region_cut *cut)
{
    return cut->size == cut->whole.size;
}

// A block that lost its middle goes on as its front.
static void shrink_block(const struct region_cut *cut)
{
    const struct region *whole = &cut->whole;
    struct mapped_block_change change = {.old_start = whole->start, .old_size = whole->size};
    if (cut->start == whole->start) {
        change.start = cut->start + cut->size;
        change.size = whole->size - cut->size;
    } else {
        change.start = whole->start;
        change.size = cut->start - whole->start;
    }
    struct live_slot *slot = mapped_block_resize_begin(whole->start);
    mapped_block_resize_end(slot, &change);
}

static void tell_block(const struct region_cut *cut)
{
    if (cut->whole.kind == REGION_BLOCK) {
        if (is_whole(cut)) {
            mapped_block_freed(cut->whole.start);
        } else {
            shrink_block(cut);
        }
    }
}

static void end(const struct region_cut *cut)
{
    tell_block(cut);
    count(cut->whole.kind, -(int64_t)cut->size);
}

// Whatever was known there is no more.
static void discard(uintptr_t start, size_t size)
{
    struct region_search search = region_table_search(start, size, REGION_IS_ANYTHING);
    for (struct region_cut cut; region_table_take(&search, &cut);) {
        end(&cut);
    }
}

void mapping_made(const void *address, size_t len, int protection, int flags)
{
    uintptr_t start = (uintptr_t)address;
    size_t size = whole_pages(len);
    discard(start, size);
    begin(start, size, kind_of(size, protection, flags));
}

// Reserved addresses that can be written are memory from now on, and memory that nobody can touch
// any more was given back. What may only be read is what it was.
void mapping_protected(const void *address, size_t len, int protection)
{
    size_t size = whole_pages(len);
    unsigned kinds = 0;
    enum region_kind next = REGION_BLOCK;
    if (protection & PROT_WRITE) {
        kinds = REGION_IS(REGION_RESERVED);
        kinds |= size < BOUNDLESS_MIN ? REGION_IS(REGION_BOUNDLESS) : 0;
    } else if (protection == PROT_NONE) {
        kinds = REGION_IS(REGION_MEMORY) | REGION_IS(REGION_BLOCK);
        next = REGION_RESERVED;
    }
    struct region_search search = region_table_search((uintptr_t)address, size, kinds);
    for (struct region_cut cut; kinds != 0 && region_table_take(&search, &cut);) {
        end(&cut);
        begin(cut.start, cut.size, next);
    }
}

static void take(struct mapping_taken *taken, const void *address, size_t len)
{
    struct region_search search =
        region_table_search((uintptr_t)address, whole_pages(len), REGION_IS_ANYTHING);
    taken->count = 0;
    taken->moving = NULL;
    for (struct region_cut cut; region_table_take(&search, &cut);) {
        if (taken->count < MAPPING_TAKEN_MAX) {
            taken->cuts[taken->count++] = cut;
        } else {
            end(&cut); // more than could be put back; such a call does not fail
        }
    }
}

static void tell_blocks(const struct mapping_taken *taken)
{
    for (size_t i = 0; i < taken->count; i++) {
        tell_block(&taken->cuts[i]);
    }
}

void mapping_unmap_begin(struct mapping_taken *taken, const void *address, size_t len)
{
    take(taken, address, len);
    tell_blocks(taken);
}

// Of a block that was told to be gone the memory is still known.
static enum region_kind kind_untold(const struct region_cut *cut)
{
    return cut->whole.kind == REGION_BLOCK ? REGION_MEMORY : cut->whole.kind;
}

static void restore(const struct region_cut *cut, enum region_kind kind)
{
    if (!enter(cut->start, cut->size, kind)) {
        count(kind, -(int64_t)cut->size);
    }
}

void mapping_unmap_end(const struct mapping_taken *taken, bool is_done)
{
    for (size_t i = 0; i < taken->count; i++) {
        const struct region_cut *cut = &taken->cuts[i];
        if (is_done) {
            count(cut->whole.kind, -(int64_t)cut->size);
        } else {
            restore(cut, kind_untold(cut));
        }
    }
}

// Several neighbours that the kernel takes for one mapping become one memory, and so does a part.
static bool is_one_block(const struct mapping_taken *taken)
{
    const struct region_cut *first = &taken->cuts[0];
    return taken->count == 1 && first->whole.kind == REGION_BLOCK && is_whole(first);
}

void mapping_move_begin(struct mapping_taken *taken, const void *address, size_t len)
{
    take(taken, address, len);
    if (is_one_block(taken)) {
        taken->moving = mapped_block_resize_begin(taken->cuts[0].start);
    } else {
        tell_blocks(taken);
    }
}

static void end_move(const struct mapping_taken *taken, uintptr_t start, size_t size)
{
    const struct region_cut *block = &taken->cuts[0];
    if (is_one_block(taken)) {
        struct mapped_block_change change = {block->start, block->size, start, size};
        mapped_block_resize_end(taken->moving, &change);
    }
}

static void move_failed(const struct mapping_taken *taken)
{
    if (is_one_block(taken)) {
        restore(&taken->cuts[0], REGION_BLOCK);
        end_move(taken, taken->cuts[0].start, taken->cuts[0].size);
    } else {
        mapping_unmap_end(taken, false);
    }
}

static size_t size_of(const struct mapping_taken *taken)
{
    size_t size = 0;
    for (size_t i = 0; i < taken->count; i++) {
        size += taken->cuts[i].size;
    }
    return size;
}

static void move(const struct mapping_taken *taken, uintptr_t start, size_t size)
{
    const struct region_cut *first = &taken->cuts[0];
    enum region_kind kind = is_one_block(taken) ? REGION_BLOCK : kind_untold(first);
    size_t size_now = enter(start, size, kind) ? size : 0;
    end_move(taken, start, size);
    count(kind, (int64_t)size_now - (int64_t)size_of(taken));
}

void mapping_move_end(const struct mapping_taken *taken, const void *address, size_t len)
{
    if (address == MAP_FAILED) {
        move_failed(taken);
        return;
    }
    discard((uintptr_t)address, whole_pages(len));
    if (taken->count > 0) { // else nobody knows what it is
        move(taken, (uintptr_t)address, whole_pages(len));
    }
}
