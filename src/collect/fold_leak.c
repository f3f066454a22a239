// SPDX-License-Identifier: Apache-2.0
#include "collect/fold_leak.h"

#include <math.h>

static bool is_watched(const struct fold *fold, const struct process *process, double time_s)
{
    return fold->has_leaks && time_s < process->finalising_s;
}

static struct life_table *table_of(struct fold *fold, struct process *process, uint32_t site)
{
    uint32_t line = memory_tally_line(fold->memory, site);
    return line > MEMORY_ELSEWHERE ? leak_watch_line(&process->leaks, line) : NULL;
}

void fold_leak_made(struct fold *fold, struct process *process, const struct block *block)
{
    if (is_watched(fold, process, block->span.to_s)) {
        leak_born(leak_watch_book(&process->leaks, block->span.to_s),
                  table_of(fold, process, block->site), block->span, (double)block->weight);
    }
}

void fold_leak_grown(struct fold *fold, struct process *process, const struct block *known,
                     struct block *block)
{
    double now_s = block->span.to_s;
    block->span.from_s = known->span.from_s;
    if (!is_watched(fold, process, now_s)) {
        return;
    }
    struct leak_book *book = leak_watch_book(&process->leaks, now_s);
    struct life_table *to = table_of(fold, process, block->site);
    struct leak_span added = {known->span.to_s, now_s};
    double more = (double)block->weight - (double)known->weight;
    if (known->site != block->site) {
        leak_moved(book, table_of(fold, process, known->site), to, known->span,
                   (double)known->weight);
    }
    if (more > 0) {
        leak_born(book, to, added, more);
    } else {
        leak_restated(book, to, known->span, (double)known->weight, (double)block->weight);
    }
}

void fold_leak_freed(struct fold *fold, struct process *process, const struct block *block,
                     double time_s)
{
    if (is_watched(fold, process, time_s)) {
        leak_died(leak_watch_book(&process->leaks, time_s), table_of(fold, process, block->site),
                  block->span, time_s, (double)block->weight);
    }
}

void fold_leak_reweighed(struct fold *fold, struct process *process, const struct block *block,
                         uint64_t weight, double time_s)
{
    if (is_watched(fold, process, time_s)) {
        leak_restated(leak_watch_book(&process->leaks, time_s),
                      table_of(fold, process, block->site), block->span, (double)block->weight,
                      (double)weight);
    }
}

void fold_leak_footprint(struct fold *fold, struct process *process, double bytes, double time_s)
{
    if (is_watched(fold, process, time_s)) {
        leak_footprint(leak_watch_book(&process->leaks, time_s), time_s, bytes);
    }
}

static struct profile_leak leak_of(struct leak_verdict verdict)
{
    return (struct profile_leak){verdict.likelihood, verdict.velocity_b_s / PROFILE_MB};
}

static void note_leak(void *context, uint32_t line, struct leak_verdict verdict)
{
    struct fold *fold = context;
    memory_tally_leak(fold->memory, line, leak_of(verdict));
}

void fold_leak_end(struct fold *fold, struct process *process, double time_s)
{
    leak_watch_judge(&process->leaks, fmin(time_s, process->finalising_s), note_leak, fold);
    leak_watch_clear(&process->leaks);
}

struct filling {
    const struct memory_tally *tally;
    struct profile *profile;
};

static void fill_leak(void *context, uint32_t line, struct leak_verdict verdict)
{
    struct filling *filling = context;
    memory_tally_fill_leak(filling->tally, line, leak_of(verdict), filling->profile);
}

void fold_leak_fill(struct fold *fold, struct process *process, double time_s,
                    struct profile *profile)
{
    struct filling filling = {fold->memory, profile};
    leak_watch_judge(&process->leaks, fmin(time_s, process->finalising_s), fill_leak, &filling);
}
