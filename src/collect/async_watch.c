// SPDX-License-Identifier: Apache-2.0
#include "collect/async_watch.h"

#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/mem.h"

#define RELAXED    memory_order_relaxed
#define PATH_BYTES 4096

void async_watch_open(struct async_watch *watch, const char *run_dir, int pid, unsigned number)
{
    char path[PATH_BYTES];
    if (watch->table || !await_table_path(path, sizeof path, run_dir, pid, number)) {
        return;
    }
    watch->table = await_table_open(path);
    if (watch->table && !watch->chains) {
        watch->path = mem_copy_text(path);
        watch->chains = mem_alloc(AWAIT_CHAIN_COUNT * sizeof *watch->chains);
        watch->site_spots = mem_alloc(AWAIT_SITE_COUNT * sizeof *watch->site_spots);
    }
}

static void clear_chain(struct async_chain *chain)
{
    for (uint32_t i = 0; i < chain->frame_count; i++) {
        free(chain->frames[i].file);
        free(chain->frames[i].function);
    }
    free(chain->frames);
    free(chain->name);
}

void async_watch_close(struct async_watch *watch)
{
    await_table_close(watch->table);
    if (watch->path) {
        unlink(watch->path);
    }
    for (uint32_t i = 0; watch->chains && i < AWAIT_CHAIN_COUNT; i++) {
        clear_chain(&watch->chains[i]);
    }
    free(watch->path);
    free(watch->chains);
    free(watch->site_spots);
    await_spans_clear(&watch->spans);
    *watch = (struct async_watch){0};
}

// Both clocks run evenly: two readings of each, one by the agent and one now, tell how they differ.
struct async_clock async_watch_clock(const struct async_watch *watch, uint64_t at_ns,
                                     uint64_t off_ns)
{
    const struct await_table *table = watch->table;
    struct await_moment now = await_table_now(table->has_cycles);
    double ticks = fmax(1, (double)now.tick - (double)table->begin_tick);
    double ns = fmax(1, (double)now.ns - (double)table->begin_ns);
    double off = fmax(0, (double)off_ns - (double)table->begin_off_ns);
    double passed_ns = fmax(0, (double)at_ns - (double)table->begin_ns - off);
    return (struct async_clock){
        .tick = (double)table->begin_tick + passed_ns * ticks / ns,
        .seconds_per_tick = ns / ticks / 1e9,
    };
}

struct async_amount async_watch_amount(const struct await_sum *sum, const struct async_clock *clock)
{
    double last = (double)atomic_load_explicit(&sum->last, RELAXED);
    double now = atomic_load_explicit(&sum->now, RELAXED);
    double open = now > 0 ? fmax(0, clock->tick - last) : 0;
    double waited = (double)atomic_load_explicit(&sum->waited, RELAXED) + now * open;
    double occupied = (double)atomic_load_explicit(&sum->occupied, RELAXED) + open;
    return (struct async_amount){
        .waited_s = waited * clock->seconds_per_tick,
        .occupied_s = occupied * clock->seconds_per_tick,
        .peak = atomic_load_explicit(&sum->peak, RELAXED),
    };
}
