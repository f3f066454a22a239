// SPDX-License-Identifier: Apache-2.0
#include "accel/engine_time.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"

#define COUNTER_MAX 16384u
#define NS_PER_S    1e9
#define UNSURE_PART 0.02 // of the time between two looks, that both may take

// Never NULL.
static struct engine_counter *find(struct engine_time *time, uint64_t key)
{
    uint64_t known = map_get(&time->index, key);
    if (known) {
        return &time->counters[known - 1];
    }
    if (time->count == COUNTER_MAX) { // of clients that are gone, nearly all: those there come back
        map_clear(&time->index);
        time->count = 0;
    }
    time->counters = mem_grow(time->counters, time->count, &time->capacity, sizeof *time->counters);
    time->counters[time->count++] =
        (struct engine_counter){.kept = {.time_s = -1}, .latest = {.time_s = -1}};
    map_put(&time->index, key, time->count);
    return &time->counters[time->count - 1];
}

static double busy_since(const struct engine_look *last, const struct fdinfo_engine *engine,
                         double now_s)
{
    double worked = engine->busy > last->busy ? (double)(engine->busy - last->busy) : 0;
    double passed = (now_s - last->time_s) * NS_PER_S;
    if (engine->total_cycles > 0) {
        passed = engine->total_cycles > last->total_cycles
                     ? (double)(engine->total_cycles - last->total_cycles)
                     : 0;
    }
    return passed > 0 ? fmin(1, worked / (passed * engine->capacity)) : 0;
}

// What the counter says now; -1: there is nothing to compare with.
static double look(const struct engine_time *time, struct engine_counter *counter,
                   const struct fdinfo_engine *engine, double now_s)
{
    if (counter->latest.time_s >= now_s) {
        return 0; // told already, of another process that has the same client
    }
    if (counter->latest.time_s >= 0 && counter->latest.time_s <= time->kept_s) {
        counter->kept = counter->latest;
    }
    const struct engine_look *kept = &counter->kept;
    counter->latest = (struct engine_look){
        .busy = engine->busy > kept->busy ? engine->busy : kept->busy,
        .total_cycles =
            engine->total_cycles > kept->total_cycles ? engine->total_cycles : kept->total_cycles,
        .time_s = now_s,
    };
    return kept->time_s >= 0 ? busy_since(kept, engine, now_s) : -1;
}

double engine_time_busy(struct engine_time *time, int pid, const struct fdinfo_client *client,
                        double now_s)
{
    double busiest = -1;
    uint64_t key = map_key(map_key_of_text(client->device),
                           client->has_client_id ? client->client_id + 1 : (uint64_t)pid << 32);
    for (size_t i = 0; i < client->engine_count; i++) {
        const struct fdinfo_engine *engine = &client->engines[i];
        struct engine_counter *counter = find(time, map_key(key, engine->key));
        busiest = fmax(busiest, look(time, counter, engine, now_s));
    }
    return busiest;
}

bool engine_time_keep(struct engine_time *time, double begin_s, double end_s)
{
    double unsure_s = end_s - begin_s;
    double passed_s = begin_s - time->kept_s;
    bool is_first = time->kept_s <= 0;
    bool is_sure = unsure_s + time->unsure_s <= UNSURE_PART * passed_s;
    bool is_better = !time->has_told && unsure_s < time->unsure_s; // to begin with
    if (is_first || is_sure || is_better) {
        time->kept_s = begin_s;
        time->unsure_s = unsure_s;
    }
    time->has_told |= !is_first && is_sure;
    return is_first || is_sure;
}

void engine_time_clear(struct engine_time *time)
{
    map_clear(&time->index);
    free(time->counters);
    *time = (struct engine_time){0};
}
