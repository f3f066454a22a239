// SPDX-License-Identifier: Apache-2.0
#include "agent/region_table.h"

#include <stdatomic.h>

#include "agent/session.h"
#include "agent/syscall.h"

// A word, from the top: first page (35 bits), pages (25), half-done mark (1), kind (3). Zero is a
// free slot. A half-done word says what will hold when another one is changed, or what held before
// that: whoever needs the range looks again until the mark is gone.
#define START_SHIFT 29
#define PAGES_SHIFT 4
#define PAGES_MASK  0x1ffffffu
#define HALF_DONE   8u
#define KIND_MASK   7u
#define ADDRESS_MAX (1ull << 47)

#define ROUNDS_AT_ONCE 64   // then the other thread may need our core
#define ROUNDS_AWAKE   512  // then one that has lost its core has to wait for others as well
#define ROUNDS_MAX     2048 // it is not another: a signal handler has interrupted its own thread
#define SLEEP_US       20
#define CROWDED        (REGION_ROOM / 4 * 3)
#define GROUP          128u

// Mostly empty: groups of slots with nothing in them are stepped over.
static struct {
    _Atomic uint64_t words[REGION_ROOM];
    _Atomic uint16_t live[REGION_ROOM / GROUP]; // in each group, or about to be
    _Atomic size_t move_count; // times that addresses went from one slot to another
} table;

static uint64_t pack(uintptr_t start, uintptr_t end, unsigned kind)
{
    uint64_t pages = (end - start) / REGION_PAGE;
    return (uint64_t)(start / REGION_PAGE) << START_SHIFT | pages << PAGES_SHIFT | kind;
}

static uintptr_t start_of(uint64_t word)
{
    return (uintptr_t)(word >> START_SHIFT) * REGION_PAGE;
}

static uintptr_t end_of(uint64_t word)
{
    return start_of(word) + (uintptr_t)(word >> PAGES_SHIFT & PAGES_MASK) * REGION_PAGE;
}

static unsigned kind_of(uint64_t word)
{
    return (unsigned)word & KIND_MASK;
}

static uint64_t load(size_t slot)
{
    return atomic_load_explicit(&table.words[slot], memory_order_acquire);
}

static void store(size_t slot, uint64_t word)
{
    atomic_store_explicit(&table.words[slot], word, memory_order_release);
}

// `*word` is what the slot had before, also when it was something else.
// NOLINTNEXTLINE(readability-non-const-parameter): the exchange writes
static bool exchange(size_t slot, uint64_t *word, uint64_t next)
{
    return atomic_compare_exchange_strong(&table.words[slot], word, next);
}

// The first slot, from this one on, that may hold something; REGION_ROOM when there is none.
static size_t next_slot(size_t slot)
{
    while (slot < REGION_ROOM && slot % GROUP == 0 && atomic_load(&table.live[slot / GROUP]) == 0) {
        slot += GROUP;
    }
    return slot;
}

static size_t insert_in_group(size_t group, uint64_t word)
{
    if (atomic_load(&table.live[group]) >= GROUP) {
        return REGION_ROOM;
    }
    atomic_fetch_add(&table.live[group], 1);
    for (size_t slot = group * GROUP; slot < (group + 1) * GROUP; slot++) {
        uint64_t empty = 0;
        if (load(slot) == 0 && exchange(slot, &empty, word)) {
            return slot;
        }
    }
    atomic_fetch_sub(&table.live[group], 1);
    return REGION_ROOM;
}

// The slot that now holds the word; REGION_ROOM when all are taken.
static size_t insert(uint64_t word)
{
    size_t slot = REGION_ROOM;
    for (size_t group = 0; group < REGION_ROOM / GROUP && slot == REGION_ROOM; group++) {
        slot = insert_in_group(group, word);
    }
    return slot;
}

// After the word was taken out of it.
static void leave_group(size_t slot)
{
    atomic_fetch_sub(&table.live[slot / GROUP], 1);
}

static void give_slot(size_t slot)
{
    store(slot, 0);
    leave_group(slot);
}

// To be called when the new slot is marked and before the old one is changed: a search that went by
// the one too early and comes to the other too late knows by it that it must look again.
static void announce_move(void)
{
    atomic_fetch_add(&table.move_count, 1);
}

static bool can_join(uint64_t word, uintptr_t start, uintptr_t end, unsigned kind)
{
    return (word & (HALF_DONE | KIND_MASK)) == kind &&
           (end_of(word) == start || start_of(word) == end) &&
           end_of(word) - start_of(word) + (end - start) <= REGION_SIZE_MAX;
}

static uint64_t joined(uint64_t word, uintptr_t start, uintptr_t end)
{
    uintptr_t from = start_of(word) < start ? start_of(word) : start;
    uintptr_t to = end_of(word) > end ? end_of(word) : end;
    return pack(from, to, kind_of(word));
}

// A region that has come to touch another swallows it.
static void absorb(size_t slot, uint64_t word)
{
    for (size_t i = next_slot(0); i < REGION_ROOM; i = next_slot(i + 1)) {
        uint64_t other = load(i);
        if (i == slot || !can_join(other, start_of(word), end_of(word), kind_of(word)) ||
            !exchange(i, &other, other | HALF_DONE)) {
            continue;
        }
        announce_move();
        if (exchange(slot, &word, joined(word, start_of(other), end_of(other)))) {
            give_slot(i);
        } else {
            store(i, other);
        }
        return;
    }
}

static bool extend_neighbour(uintptr_t start, uintptr_t end, unsigned kind)
{
    for (size_t i = next_slot(0); i < REGION_ROOM; i = next_slot(i + 1)) {
        uint64_t word = load(i);
        while (can_join(word, start, end, kind)) {
            uint64_t larger = joined(word, start, end);
            if (exchange(i, &word, larger)) {
                absorb(i, larger);
                return true;
            }
        }
    }
    return false;
}

static bool add_piece(uintptr_t start, uintptr_t end, unsigned kind)
{
    return (kind != REGION_BLOCK && extend_neighbour(start, end, kind)) ||
           insert(pack(start, end, kind)) < REGION_ROOM;
}

bool region_table_add(struct region region)
{
    uintptr_t end = region.start + region.size;
    if (end > ADDRESS_MAX || end < region.start) {
        return false;
    }
    for (uintptr_t at = region.start; at < end;) {
        uintptr_t next = end - at > REGION_SIZE_MAX ? at + REGION_SIZE_MAX : end;
        if (!add_piece(at, next, region.kind)) {
            struct region_search done =
                region_table_search(region.start, at - region.start, REGION_IS(region.kind));
            for (struct region_cut cut; region_table_take(&done, &cut);) {
            }
            return false;
        }
        at = next;
    }
    return true;
}

bool region_table_is_crowded(void)
{
    size_t live = 0;
    for (size_t group = 0; group < REGION_ROOM / GROUP; group++) {
        live += atomic_load_explicit(&table.live[group], memory_order_relaxed);
    }
    return live >= CROWDED;
}

// Both ends stay. The one behind is entered first, half done, and holds once the exchange is made.
static bool cut_middle(size_t slot, uint64_t *word, struct region_cut *cut)
{
    uintptr_t start = cut->start;
    uintptr_t end = start + cut->size;
    unsigned kind = kind_of(*word) == REGION_BLOCK ? REGION_MEMORY : kind_of(*word);
    uint64_t behind = pack(end, end_of(*word), kind);
    size_t other = insert(behind | HALF_DONE);
    if (other == REGION_ROOM) {
        cut->size = end_of(*word) - start; // what cannot be followed is let go
        session_count(COUNTER_regions_untracked, 1);
    }
    announce_move();
    if (exchange(slot, word, pack(start_of(*word), start, kind_of(*word)))) {
        if (other < REGION_ROOM) {
            store(other, behind);
        }
        return true;
    }
    if (other < REGION_ROOM) {
        give_slot(other);
    }
    return false;
}

static bool cut_out(size_t slot, uint64_t *word, const struct region_search *search,
                    struct region_cut *cut)
{
    uintptr_t first = start_of(*word);
    uintptr_t last = end_of(*word);
    uintptr_t start = first > search->start ? first : search->start;
    uintptr_t end = last < search->start + search->size ? last : search->start + search->size;
    cut->whole = (struct region){first, last - first, (enum region_kind)kind_of(*word)};
    cut->start = start;
    cut->size = end - start;
    if (first < start && end < last) {
        return cut_middle(slot, word, cut);
    }
    if (first < start) {
        return exchange(slot, word, pack(first, start, kind_of(*word)));
    }
    if (end < last) {
        return exchange(slot, word, pack(end, last, kind_of(*word)));
    }
    if (!exchange(slot, word, 0)) {
        return false;
    }
    leave_group(slot);
    return true;
}

static bool concerns(const struct region_search *search, uint64_t word)
{
    return word != 0 && (search->kinds & REGION_IS(kind_of(word))) &&
           start_of(word) < search->start + search->size && end_of(word) > search->start;
}

static bool take_in_round(struct region_search *search, struct region_cut *cut)
{
    for (size_t slot = next_slot(search->slot); slot < REGION_ROOM; slot = next_slot(slot + 1)) {
        search->slot = slot;
        uint64_t word = load(slot);
        while (concerns(search, word)) {
            if (word & HALF_DONE) {
                search->must_repeat = true;
                break;
            }
            if (cut_out(slot, &word, search, cut)) {
                return true;
            }
        }
    }
    search->slot = REGION_ROOM;
    return false;
}

struct region_search region_table_search(uintptr_t start, size_t size, unsigned kinds)
{
    return (struct region_search){
        .start = start, .size = size, .kinds = kinds, .move_count = atomic_load(&table.move_count)};
}

static void begin_round(struct region_search *search)
{
    search->round_count++;
    if (search->round_count > ROUNDS_AWAKE) {
        raw_sleep_us(SLEEP_US);
    } else if (search->round_count > ROUNDS_AT_ONCE) {
        raw_sched_yield();
    }
    search->must_repeat = false;
    search->slot = 0;
    search->move_count = atomic_load(&table.move_count);
}

bool region_table_take(struct region_search *search, struct region_cut *cut)
{
    while (!take_in_round(search, cut)) {
        if (!search->must_repeat && search->move_count == atomic_load(&table.move_count)) {
            return false;
        }
        if (search->round_count == ROUNDS_MAX) {
            session_count(COUNTER_regions_untracked, 1);
            return false;
        }
        begin_round(search);
    }
    return true;
}

static bool is_covered(uint64_t word)
{
    for (size_t i = next_slot(0); i < REGION_ROOM; i = next_slot(i + 1)) {
        uint64_t other = load(i);
        if (other != 0 && !(other & HALF_DONE) && start_of(other) <= start_of(word) &&
            end_of(other) >= end_of(word)) {
            return true;
        }
    }
    return false;
}

void region_table_forked(void)
{
    for (size_t i = next_slot(0); i < REGION_ROOM; i = next_slot(i + 1)) {
        uint64_t word = load(i);
        if (word & HALF_DONE) {
            if (is_covered(word)) {
                give_slot(i);
            } else {
                store(i, word & ~(uint64_t)HALF_DONE);
            }
        }
    }
}

void region_table_forget(void)
{
    for (size_t i = next_slot(0); i < REGION_ROOM; i = next_slot(i + 1)) {
        if (load(i) != 0) {
            give_slot(i);
        }
    }
}
