// SPDX-License-Identifier: Apache-2.0
#include "agent/live_table.h"

#include <stddef.h>
#include <string.h>

#include "agent/syscall.h"

// What a key can be, beside the address of a live block. Addresses are multiples of 8.
#define EMPTY   ((uintptr_t)0)
#define CLAIMED ((uintptr_t)1) // somebody's, and in nobody else's sight
#define UNTOLD  ((uintptr_t)3)
#define HELD    ((uintptr_t)2) // added to the address: live, but for a moment not to be taken
#define GONE    ((uintptr_t)4) // added as well: it was freed while it was held
#define STATES  ((uintptr_t)7)

#define PAGE_SIZE     4096u
#define INHERITED_MAX 256u

_Alignas(PAGE_SIZE) struct live_table live_table;

_Static_assert(sizeof live_table % PAGE_SIZE == 0, "it is cleared by pages");
_Static_assert(sizeof(struct live_block) == 32, "the table is to stay small");

static _Atomic uint32_t live_count;
static _Atomic uint32_t untold_count;

uint32_t live_block_kb(uint64_t size)
{
    uint64_t kb = (size + 1023) / 1024;
    return kb < UINT32_MAX ? (uint32_t)kb : UINT32_MAX;
}

static _Atomic uintptr_t *key_of(struct live_slot *slot)
{
    return (_Atomic uintptr_t *)slot;
}

static struct live_slot *slot_at(unsigned bucket, unsigned place)
{
    return (struct live_slot *)&live_table.keys[bucket][place];
}

struct live_block *live_slot_block(struct live_slot *slot)
{
    return &live_table.blocks[key_of(slot) - &live_table.keys[0][0]];
}

// An address may lie in either of two buckets.
static void find_buckets(uintptr_t address, unsigned buckets[2])
{
    uint64_t hash = (uint64_t)(address >> 3) * 0x9e3779b97f4a7c15u;
    buckets[0] = (unsigned)(hash >> 52) % LIVE_BUCKETS;
    buckets[1] = (unsigned)(hash >> 40) % LIVE_BUCKETS;
}

static _Atomic uint8_t *filter_of(uintptr_t address)
{
    return &live_table.filter[address / 16 % LIVE_FILTER_SIZE];
}

// Counts that have reached the top stay there: the filter then says "perhaps" for ever.
static void filter_add(uintptr_t address)
{
    _Atomic uint8_t *count = filter_of(address);
    uint8_t old = atomic_load_explicit(count, memory_order_relaxed);
    while (old != UINT8_MAX && !atomic_compare_exchange_weak(count, &old, (uint8_t)(old + 1))) {
    }
}

static void filter_remove(uintptr_t address)
{
    _Atomic uint8_t *count = filter_of(address);
    uint8_t old = atomic_load_explicit(count, memory_order_relaxed);
    while (old != UINT8_MAX && old != 0 &&
           !atomic_compare_exchange_weak(count, &old, (uint8_t)(old - 1))) {
    }
}

static void leave_sight(uintptr_t address)
{
    filter_remove(address);
    atomic_fetch_sub_explicit(&live_count, 1, memory_order_relaxed);
}

static unsigned free_places(unsigned bucket)
{
    unsigned count = 0;
    for (unsigned i = 0; i < LIVE_BUCKET_KEYS; i++) {
        count += atomic_load_explicit(&live_table.keys[bucket][i], memory_order_relaxed) == EMPTY;
    }
    return count;
}

static struct live_slot *claim_in(unsigned bucket)
{
    for (unsigned i = 0; i < LIVE_BUCKET_KEYS; i++) {
        uintptr_t expected = EMPTY;
        if (atomic_compare_exchange_strong(&live_table.keys[bucket][i], &expected, CLAIMED)) {
            return slot_at(bucket, i);
        }
    }
    return NULL;
}

struct live_slot *live_table_claim(const void *address)
{
    unsigned buckets[2];
    find_buckets((uintptr_t)address, buckets);
    bool second_is_emptier = free_places(buckets[1]) > free_places(buckets[0]);
    struct live_slot *slot = claim_in(buckets[second_is_emptier]);
    return slot ? slot : claim_in(buckets[!second_is_emptier]);
}

// Takes it, or, where it is held, leaves word that it is gone.
static bool take_key(_Atomic uintptr_t *key, uintptr_t address, bool *is_gone)
{
    uintptr_t found = atomic_load_explicit(key, memory_order_acquire);
    while ((found & ~HELD) == address) {
        *is_gone = found & HELD;
        uintptr_t wanted = *is_gone ? address | HELD | GONE : CLAIMED;
        if (atomic_compare_exchange_weak(key, &found, wanted)) {
            return true;
        }
    }
    return false;
}

struct live_slot *live_table_take(const void *address)
{
    unsigned buckets[2];
    if (!address) {
        return NULL; // whose key is that of an empty slot
    }
    find_buckets((uintptr_t)address, buckets);
    for (unsigned i = 0; i < 2 * LIVE_BUCKET_KEYS; i++) {
        struct live_slot *slot = slot_at(buckets[i / LIVE_BUCKET_KEYS], i % LIVE_BUCKET_KEYS);
        bool is_gone;
        if (take_key(key_of(slot), (uintptr_t)address, &is_gone)) {
            if (is_gone) {
                return NULL;
            }
            leave_sight((uintptr_t)address);
            return slot;
        }
    }
    return NULL;
}

bool live_table_is_held(const void *address)
{
    unsigned buckets[2];
    find_buckets((uintptr_t)address, buckets);
    for (unsigned i = 0; i < 2 * LIVE_BUCKET_KEYS; i++) {
        struct live_slot *slot = slot_at(buckets[i / LIVE_BUCKET_KEYS], i % LIVE_BUCKET_KEYS);
        uintptr_t key = atomic_load_explicit(key_of(slot), memory_order_relaxed);
        if (key == ((uintptr_t)address | HELD)) {
            return true;
        }
    }
    return false;
}

void live_slot_publish(struct live_slot *slot, const void *address)
{
    filter_add((uintptr_t)address);
    atomic_fetch_add_explicit(&live_count, 1, memory_order_relaxed);
    atomic_store_explicit(key_of(slot), (uintptr_t)address, memory_order_release);
}

void live_slot_release(struct live_slot *slot)
{
    atomic_store_explicit(key_of(slot), EMPTY, memory_order_release);
}

void live_slot_leave_untold(struct live_slot *slot)
{
    atomic_fetch_add_explicit(&untold_count, 1, memory_order_relaxed);
    atomic_store_explicit(key_of(slot), UNTOLD, memory_order_release);
}

bool live_table_has_untold(void)
{
    return atomic_load_explicit(&untold_count, memory_order_relaxed) != 0;
}

struct live_slot *live_table_take_untold(unsigned *cursor)
{
    for (; *cursor < LIVE_SLOTS; (*cursor)++) {
        _Atomic uintptr_t *key = &live_table.keys[0][0] + *cursor;
        uintptr_t found = atomic_load_explicit(key, memory_order_relaxed);
        if (found == UNTOLD && atomic_compare_exchange_strong(key, &found, CLAIMED)) {
            atomic_fetch_sub_explicit(&untold_count, 1, memory_order_relaxed);
            (*cursor)++;
            return (struct live_slot *)key;
        }
    }
    return NULL;
}

unsigned live_table_count(void)
{
    return atomic_load_explicit(&live_count, memory_order_relaxed);
}

struct live_slot *live_table_hold(unsigned index)
{
    _Atomic uintptr_t *key = &live_table.keys[0][0] + index;
    uintptr_t found = atomic_load_explicit(key, memory_order_relaxed);
    bool is_live = found > STATES && (found & STATES) == 0;
    return is_live && atomic_compare_exchange_strong(key, &found, found | HELD)
               ? (struct live_slot *)key
               : NULL;
}

bool live_slot_unhold(struct live_slot *slot)
{
    _Atomic uintptr_t *key = key_of(slot);
    uintptr_t found = atomic_load_explicit(key, memory_order_relaxed);
    if (!(found & GONE) && atomic_compare_exchange_strong(key, &found, found & ~HELD)) {
        return true;
    }
    leave_sight(found & ~STATES);
    atomic_store_explicit(key, CLAIMED, memory_order_relaxed);
    return false;
}

// Out of sight first: the address may be freed and used again before the slot is empty, and must
// not be found in it then.
void live_slot_drop(struct live_slot *slot)
{
    uintptr_t key = atomic_exchange(key_of(slot), CLAIMED);
    leave_sight(key & ~STATES);
    live_slot_release(slot);
}

// Given back to the kernel, the pages are zeros again and cost nothing. Locked ones are not taken.
void live_table_clear(void)
{
    if (raw_madvise(&live_table, sizeof live_table, MADV_DONTNEED) != 0) {
        memset(&live_table, 0, sizeof live_table);
    }
    atomic_store(&live_count, 0);
    atomic_store(&untold_count, 0);
}

struct inherited {
    const void *address;
    uint64_t weight;
};

static bool is_large(const struct live_block *block)
{
    return block->flags & LIVE_IS_EXACT && block->weight >= LIVE_LARGE;
}

static unsigned find_large(struct inherited *list)
{
    unsigned count = 0;
    for (unsigned i = 0; i < LIVE_SLOTS && count < INHERITED_MAX; i++) {
        _Atomic uintptr_t *key = &live_table.keys[0][0] + i;
        uintptr_t address = atomic_load_explicit(key, memory_order_relaxed) & ~HELD;
        const struct live_block *block = &live_table.blocks[i];
        if (address > STATES && (address & STATES) == 0 && is_large(block)) {
            list[count++] = (struct inherited){(const void *)address, block->weight};
        }
    }
    return count;
}

void live_table_inherit(void)
{
    struct inherited list[INHERITED_MAX];
    unsigned count = find_large(list);
    live_table_clear();
    for (unsigned i = 0; i < count; i++) {
        struct live_slot *slot = live_table_claim(list[i].address);
        if (slot) {
            *live_slot_block(slot) = (struct live_block){
                .weight = list[i].weight,
                .flags = LIVE_IS_EXACT | LIVE_IS_INHERITED,
            };
            live_slot_publish(slot, list[i].address);
        }
    }
}
