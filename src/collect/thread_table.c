// SPDX-License-Identifier: Apache-2.0
#include "collect/thread_table.h"

#include <stdlib.h>

#include "base/mem.h"

#define KEPT_MAX     4096u  // before those that have ended make room
#define THREAD_MAX   32768u // alive; the rest share one
#define LOOKS_MAX    64u    // at a time, for one that has ended
#define RECENT_GAP_S 0.05   // between two samples of a thread that computes, at most

static struct thread_sum *sum_of(struct thread_table *table, uint32_t pool)
{
    for (size_t i = 0; i < table->sum_count; i++) {
        if (table->sums[i].pool == pool) {
            return &table->sums[i];
        }
    }
    table->sums =
        mem_grow(table->sums, table->sum_count, &table->sum_capacity, sizeof *table->sums);
    table->sums[table->sum_count] = (struct thread_sum){.pool = pool};
    return &table->sums[table->sum_count++];
}

static void retire(struct thread_table *table, const struct thread *thread)
{
    struct thread_sum *sum = sum_of(table, thread->pool);
    sum->count++;
    sum->true_s += thread->true_s;
    sum->true_system_s += thread->true_system_s;
    sum->ready_s += thread->ready_s;
}

static void init(struct thread *thread, int tid)
{
    *thread = (struct thread){.tid = tid, .pool = UINT32_MAX, .busy_from_s = -1};
}

// Numbers of threads that went stay in the index until it is made anew.
static void clean_index(struct thread_table *table)
{
    if (table->index.count < 2 * table->count + 1024) {
        return;
    }
    map_clear(&table->index);
    for (size_t i = 0; i < table->count; i++) {
        map_put(&table->index, (uint64_t)table->list[i].tid + 1, i + 1);
    }
}

static struct thread *find_ended(struct thread_table *table)
{
    for (size_t i = 0; i < LOOKS_MAX && table->count >= KEPT_MAX; i++) {
        table->hand = table->hand + 1 < table->count ? table->hand + 1 : 1;
        if (table->list[table->hand].has_ended) {
            return &table->list[table->hand];
        }
    }
    return NULL;
}

static struct thread *make(struct thread_table *table, int tid)
{
    struct thread *thread = find_ended(table);
    if (thread) {
        retire(table, thread);
    } else if (table->count == THREAD_MAX) {
        return &table->list[THREAD_MAX - 1];
    } else {
        table->list = mem_grow(table->list, table->count, &table->capacity, sizeof *table->list);
        thread = &table->list[table->count++];
    }
    init(thread, tid);
    clean_index(table);
    map_put(&table->index, (uint64_t)tid + 1, (uint64_t)(thread - table->list) + 1);
    return thread;
}

struct thread *thread_table_get(struct thread_table *table, int tid)
{
    uint64_t known = map_get(&table->index, (uint64_t)tid + 1);
    if (known != 0 && table->list[known - 1].tid == tid) {
        return &table->list[known - 1];
    }
    return make(table, tid);
}

void thread_table_replace(struct thread_table *table, struct thread *thread)
{
    retire(table, thread);
    init(thread, thread->tid);
}

void thread_table_close(struct thread_table *table, size_t max)
{
    while (table->count > max) {
        retire(table, &table->list[--table->count]);
    }
    map_clear(&table->index);
    table->capacity = table->count;
    table->list = mem_resize(table->list, table->count * sizeof *table->list);
}

size_t thread_table_gone_count(const struct thread_table *table)
{
    size_t count = 0;
    for (size_t i = 0; i < table->sum_count; i++) {
        count += table->sums[i].count;
    }
    return count;
}

double thread_table_ready_s(const struct thread_table *table)
{
    double sum = 0;
    for (size_t i = 0; i < table->sum_count; i++) {
        sum += table->sums[i].ready_s;
    }
    for (size_t i = 0; i < table->count; i++) {
        sum += table->list[i].ready_s;
    }
    return sum;
}

void thread_table_clear(struct thread_table *table)
{
    map_clear(&table->index);
    free(table->list);
    free(table->sums);
    *table = (struct thread_table){0};
}

// What comes in a row on one line is one run.
void thread_note_recent(struct thread *thread, uint32_t spot, double begin_s, double end_s)
{
    struct thread_recent *last = &thread->recent[thread->recent_at];
    if (last->spot == spot && begin_s <= last->end_s + RECENT_GAP_S) {
        last->end_s = end_s > last->end_s ? end_s : last->end_s;
        return;
    }
    thread->recent_at = (thread->recent_at + 1) % THREAD_RECENT_COUNT;
    thread->recent[thread->recent_at] = (struct thread_recent){begin_s, end_s, spot};
}
