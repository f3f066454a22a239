// SPDX-License-Identifier: Apache-2.0
#include "agent/await_sums.h"

#include <errno.h>
#include <string.h>

#include "agent/cpython/interpreter.h"
#include "agent/hot.h"
#include "agent/session.h"
#include "agent/steady_cycles.h"

#define PROBE_LENGTH 16u
#define RELAXED      memory_order_relaxed

static struct await_table *table_now;
static atomic_bool has_no_table; // and will have none, or another interpreter is about to make it

// An address and a chain in one word, so that a reader has both or neither. An address has 47 bits
// in use, the lowest four of which are 0.
#define REMEMBERED 1024u
#define CHAIN_BITS 12
_Static_assert(AWAIT_CHAIN_COUNT <= 1u << CHAIN_BITS, "a chain fits below an address");
static _Atomic uint64_t remembered[REMEMBERED];

// What profiling was off for when last asked, in ticks.
static struct {
    uint64_t off_ns;
    uint64_t off_ticks;
} pauses;

static bool has_cycles = true; // until the table is made, nothing is measured

static uint64_t raw_tick(void)
{
    return await_table_tick(has_cycles);
}

void await_sums_forget(void)
{
    await_table_close(table_now);
    table_now = NULL;
    has_no_table = false;
    pauses.off_ns = pauses.off_ticks = 0;
    for (unsigned i = 0; i < REMEMBERED; i++) {
        atomic_store_explicit(&remembered[i], 0, RELAXED);
    }
}

static COLD struct await_table *make_table(void)
{
    struct ring *ring = session_ring();
    char path[SESSION_PATH_MAX + 64];
    if (!ring || atomic_exchange(&has_no_table, true)) {
        return NULL;
    }
    int saved_errno = errno;
    struct await_table *table = NULL;
    if (await_table_path(path, sizeof path, session.run_dir, session.pid, session.program_number)) {
        table = await_table_create(path);
    }
    if (table) {
        has_cycles = steady_cycles_are_known();
        struct await_moment now = await_table_now(has_cycles);
        table->chains[0].shares_site = true;
        table->has_cycles = has_cycles;
        table->begin_tick = now.tick;
        table->begin_ns = now.ns;
        table->begin_off_ns = control_off_ns(session.control, table->begin_ns);
        atomic_store_explicit(&table->magic, AWAIT_MAGIC, memory_order_release);
    } else {
        ring_count(ring, COUNTER_coroutines_unseen, 1);
    }
    table_now = table;
    errno = saved_errno;
    return table;
}

HOT struct await_table *await_sums_table(void)
{
    return __builtin_expect(table_now != NULL, 1) ? table_now : make_table();
}

HOT struct await_table *await_sums_made_table(void)
{
    return table_now;
}

void await_sums_prepare(void)
{
    if (session.has_async && interpreter_thread_state() != 0) {
        await_sums_table();
    }
}

// The length of a tick shows by the two clocks since the table was made.
uint64_t await_sums_ticks(const struct await_table *table, uint64_t ns)
{
    struct await_moment now = await_table_now(table->has_cycles);
    double passed_ns = (double)(now.ns - table->begin_ns);
    double passed_ticks = (double)(now.tick - table->begin_tick);
    return passed_ns > 0 ? (uint64_t)((double)ns * passed_ticks / passed_ns) : 0;
}

uint64_t await_sums_ns(const struct await_table *table, uint64_t ticks)
{
    struct await_moment now = await_table_now(table->has_cycles);
    double passed_ns = (double)(now.ns - table->begin_ns);
    double passed_ticks = (double)(now.tick - table->begin_tick);
    return passed_ticks > 0 ? (uint64_t)((double)ticks * passed_ns / passed_ticks) : 0;
}

// Time that profiling was off before the table was made has nothing to do with it.
static COLD uint64_t tick_with_pauses(uint64_t tick)
{
    uint64_t now_ns = clock_wall_ns();
    uint64_t off_ns = control_off_ns(session.control, now_ns);
    off_ns -= table_now ? table_now->begin_off_ns : off_ns;
    if (off_ns != pauses.off_ns && table_now) {
        pauses.off_ticks = await_sums_ticks(table_now, off_ns);
        pauses.off_ns = off_ns;
    }
    return tick - pauses.off_ticks;
}

HOT uint64_t await_sums_tick(void)
{
    uint64_t tick = raw_tick();
    const struct control *control = session.control;
    bool has_pauses = atomic_load_explicit(&control->off_ns, RELAXED) != 0 ||
                      atomic_load_explicit(&control->off_since_ns, RELAXED) != 0;
    return __builtin_expect(has_pauses, 0) ? tick_with_pauses(tick) : tick;
}

HOT uint32_t await_sums_find(const struct await_table *table, uint64_t key)
{
    for (uint32_t i = 0; i < PROBE_LENGTH; i++) {
        uint32_t at = (uint32_t)(key + i) % AWAIT_CHAIN_COUNT;
        uint64_t found = atomic_load_explicit(&table->chains[at].key, memory_order_acquire);
        if (found == key && at != 0) {
            return at;
        }
        if (found == 0 && at != 0) {
            break;
        }
    }
    return 0;
}

static _Atomic uint64_t *place_of(uintptr_t coroutine)
{
    return &remembered[(coroutine >> 4 ^ coroutine >> 14) % REMEMBERED];
}

HOT void await_sums_remember(uintptr_t coroutine, uint32_t chain)
{
    uint64_t word = (uint64_t)(coroutine >> 4) << CHAIN_BITS | chain;
    atomic_store_explicit(place_of(coroutine), word, RELAXED);
}

HOT uint32_t await_sums_recall(uintptr_t coroutine)
{
    _Atomic uint64_t *place = place_of(coroutine);
    uint64_t word = atomic_load_explicit(place, RELAXED);
    if (word >> CHAIN_BITS != coroutine >> 4) {
        return 0;
    }
    atomic_store_explicit(place, 0, RELAXED);
    return word & ((1u << CHAIN_BITS) - 1);
}

static uint32_t claim_site(struct await_table *table, uint64_t key)
{
    for (uint32_t i = 0; i < PROBE_LENGTH; i++) {
        uint32_t at = (uint32_t)(key + i) % AWAIT_SITE_COUNT;
        uint64_t found = 0;
        if (at != 0 &&
            (atomic_compare_exchange_strong(&table->sites[at].key, &found, key) || found == key)) {
            return at;
        }
    }
    return 0;
}

static void copy(struct await_sum *to, const struct await_sum *from)
{
    to->waited = from->waited;
    to->occupied = from->occupied;
    to->last = from->last;
    to->count = from->count;
    to->now = from->now;
    to->peak = from->peak;
}

// Most sites are reached by one chain, and need no second sum. The second chain to come divides
// them.
static void join_site(struct await_table *table, uint32_t chain, uint32_t number)
{
    struct await_site *site = &table->sites[number];
    uint32_t first = atomic_load_explicit(&site->only_chain, RELAXED);
    if (number != 0 && first == 0) {
        atomic_store_explicit(&site->only_chain, chain, memory_order_release);
        return;
    }
    if (number != 0 && first != AWAIT_SITE_IS_SHARED) {
        copy(&site->sum, &table->chains[first].sum);
        table->chains[first].shares_site = true;
        atomic_store_explicit(&site->only_chain, AWAIT_SITE_IS_SHARED, memory_order_release);
    }
    table->chains[chain].shares_site = true;
}

static uint32_t claim_chain(struct await_table *table, uint64_t key, uint32_t site)
{
    for (uint32_t i = 0; i < PROBE_LENGTH; i++) {
        uint32_t at = (uint32_t)(key + i) % AWAIT_CHAIN_COUNT;
        uint64_t found = 0;
        if (at != 0 && atomic_compare_exchange_strong(&table->chains[at].key, &found, key)) {
            table->chains[at].site = (uint16_t)site;
            join_site(table, at, site);
            return at;
        }
    }
    return 0;
}

static bool send(uint32_t chain, uint32_t site, const struct record_frame *frames, unsigned count)
{
    struct ring *ring = session_ring();
    size_t bytes = count * sizeof *frames;
    struct record_chain *record =
        ring ? ring_reserve(ring, RECORD_CHAIN, sizeof *record + bytes) : NULL;
    if (!record) {
        return false;
    }
    record->chain = chain;
    record->site = site;
    record->program_number = session.program_number;
    record->frame_count = count;
    memcpy(record + 1, frames, bytes);
    ring_commit(record);
    return true;
}

static uint32_t find_site(struct await_table *table, const struct record_frame *own)
{
    uint64_t key = ((uint64_t)own->code_id << 32 | (uint32_t)own->offset) * 0x9e3779b97f4a7c15u;
    return claim_site(table, (key ^ key >> 29) | 1);
}

uint32_t await_sums_add(struct await_table *table, uint64_t key, const struct record_frame *frames,
                        unsigned count, unsigned site)
{
    uint32_t at = count > 0 ? find_site(table, &frames[site]) : 0;
    uint32_t chain = claim_chain(table, key, at);
    if (chain == 0 || !send(chain, at, frames, count)) {
        atomic_fetch_add_explicit(&table->chains_lost, 1, RELAXED);
    }
    return chain;
}

static void advance(struct await_sum *sum, uint64_t tick)
{
    uint64_t last = atomic_load_explicit(&sum->last, RELAXED);
    uint32_t now = atomic_load_explicit(&sum->now, RELAXED);
    if (now != 0 && tick > last) {
        uint64_t waited = atomic_load_explicit(&sum->waited, RELAXED) + now * (tick - last);
        uint64_t occupied = atomic_load_explicit(&sum->occupied, RELAXED) + (tick - last);
        atomic_store_explicit(&sum->waited, waited, RELAXED);
        atomic_store_explicit(&sum->occupied, occupied, RELAXED);
    }
    atomic_store_explicit(&sum->last, tick > last ? tick : last, RELAXED);
}

static void add(struct await_sum *sum, uint64_t tick, uint32_t tasks)
{
    advance(sum, tick);
    uint32_t now = atomic_load_explicit(&sum->now, RELAXED) + tasks;
    atomic_store_explicit(&sum->now, now, RELAXED);
    if (now > atomic_load_explicit(&sum->peak, RELAXED)) {
        atomic_store_explicit(&sum->peak, now, RELAXED);
    }
    uint64_t count = atomic_load_explicit(&sum->count, RELAXED) + tasks;
    atomic_store_explicit(&sum->count, count, RELAXED);
}

// Who began to wait before the table was made (before a fork, or before we came) was not counted.
static void subtract(struct await_sum *sum, uint64_t tick, uint32_t tasks)
{
    advance(sum, tick);
    uint32_t now = atomic_load_explicit(&sum->now, RELAXED);
    if (now > 0) {
        atomic_store_explicit(&sum->now, now > tasks ? now - tasks : 0, RELAXED);
    }
}

void await_sums_begin_many(struct await_table *table, uint32_t number, uint64_t tick,
                           uint32_t tasks)
{
    struct await_chain *chain = &table->chains[number];
    add(&chain->sum, tick, tasks);
    if (chain->shares_site) {
        add(&table->sites[chain->site].sum, tick, tasks);
    }
}

void await_sums_end_many(struct await_table *table, uint32_t number, uint64_t tick, uint32_t tasks)
{
    struct await_chain *chain = &table->chains[number];
    subtract(&chain->sum, tick, tasks);
    if (chain->shares_site) {
        subtract(&table->sites[chain->site].sum, tick, tasks);
    }
}

HOT void await_sums_begin(struct await_table *table, uint32_t number, uint64_t tick)
{
    await_sums_begin_many(table, number, tick, 1);
}

HOT void await_sums_end(struct await_table *table, uint32_t number, uint64_t tick)
{
    await_sums_end_many(table, number, tick, 1);
}
