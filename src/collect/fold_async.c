// SPDX-License-Identifier: Apache-2.0
#include "collect/fold_async.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "collect/fold_stack.h"
#include "collect/python_text.h"

#define RELAXED        memory_order_relaxed
#define NAME_BYTES     256
#define ELSEWHERE_S    0.01 // less is not worth a sentence,
#define ELSEWHERE_PART 0.01 // nor is less than this part of what lines waited

static uint32_t find_spot(struct fold *fold, struct process *process,
                          const struct record_frame *frames, size_t count)
{
    struct tally_place place;
    uint32_t pool = tally_pool(fold->tally, process->command_key ? process->command_key : "", 0);
    return fold_find_place(fold, process, frames, count, &place)
               ? tally_spot(fold->tally, pool, &place)
               : TALLY_NONE;
}

static void keep_frames(struct process *process, struct async_chain *chain,
                        const struct record_frame *frames, size_t count)
{
    chain->frames = mem_alloc((count + 1) * sizeof *chain->frames);
    for (size_t i = 0; i < count; i++) {
        const struct code *code = process_code(process, frames[i].code_id);
        if (code) {
            chain->frames[chain->frame_count++] = (struct async_frame){
                .code_key = code->key,
                .file = mem_copy_text(code->path),
                .function = mem_copy_text(code->name),
                .line = line_table_line(&code->lines, frames[i].offset),
            };
        }
    }
}

bool fold_chain(struct fold *fold, struct process *process, const void *record, size_t len)
{
    const struct record_chain *told = record;
    if (len < sizeof *told || told->chain >= AWAIT_CHAIN_COUNT || told->site >= AWAIT_SITE_COUNT ||
        told->frame_count > RECORD_FRAME_MAX ||
        sizeof *told + told->frame_count * sizeof(struct record_frame) > len) {
        return false;
    }
    struct async_watch *watch = &process->async;
    async_watch_open(watch, fold->run_dir, process->pid, told->program_number);
    if (!watch->chains || watch->chains[told->chain].frames) {
        return false;
    }
    const struct record_frame *frames = (const void *)(told + 1);
    struct async_chain *chain = &watch->chains[told->chain];
    chain->spot = find_spot(fold, process, frames, told->frame_count);
    chain->site = told->site;
    keep_frames(process, chain, frames, told->frame_count);
    watch->site_spots[told->site] = chain->spot;
    return true;
}

bool fold_await_name(struct fold *fold, struct process *process, const void *record, size_t len)
{
    const struct record_await_name *told = record;
    if (len < sizeof *told || told->chain >= AWAIT_CHAIN_COUNT ||
        told->name_len > len - sizeof *told || !python_text_is_width(told->name_width)) {
        return false;
    }
    char name[NAME_BYTES];
    python_text_copy((const uint8_t *)(told + 1), told->name_len, told->name_width, name,
                     sizeof name);
    struct async_chain *chain = process->async.chains ? &process->async.chains[told->chain] : NULL;
    if (chain) {
        tally_add_task_name(fold->tally, chain->spot, name);
        chain->name = chain->name ? chain->name : mem_copy_text(name);
    }
    return true;
}

// What waited in chains that the collector was not told of, for want of room here or there; the
// first has all that found no place in the table. A record may also be on its way.
static void settle_lost(struct fold *fold, const struct async_watch *watch,
                        const struct async_clock *clock, bool is_final)
{
    if (atomic_load_explicit(&watch->table->chains_lost, RELAXED) == 0) {
        return;
    }
    double *lost_s = is_final ? &fold->await_lost_s : &fold->running_await_lost_s;
    for (uint32_t i = 0; i < AWAIT_CHAIN_COUNT; i++) {
        if (!watch->chains[i].frames) {
            *lost_s += async_watch_amount(&watch->table->chains[i].sum, clock).waited_s;
        }
    }
}

// Places that found no room among those of the table share the first, of which nothing is known
// but the waiting of their chains.
static void settle_lines(struct fold *fold, const struct async_watch *watch,
                         const struct async_clock *clock, bool is_final)
{
    for (uint32_t i = 0; i < AWAIT_CHAIN_COUNT; i++) {
        struct async_amount amount = async_watch_amount(&watch->table->chains[i].sum, clock);
        uint64_t worked = atomic_load_explicit(&watch->table->chains[i].worked, RELAXED);
        struct profile_async part = {
            .await_s = amount.waited_s,
            .work_s = (double)worked * clock->seconds_per_tick,
        };
        if (amount.waited_s > 0 && watch->chains[i].frames) {
            tally_add_await(fold->tally, watch->chains[i].spot, &part, is_final);
        }
    }
    for (uint32_t i = 1; i < AWAIT_SITE_COUNT; i++) {
        struct async_amount amount = async_watch_amount(await_site_sum(watch->table, i), clock);
        struct profile_async part = {
            .occupied_s = amount.occupied_s, .shared_s = amount.waited_s, .peak = amount.peak};
        if (amount.waited_s > 0) {
            tally_add_await(fold->tally, watch->site_spots[i], &part, is_final);
        }
    }
}

static double seconds(uint64_t ticks, const struct async_clock *clock)
{
    return (double)ticks * clock->seconds_per_tick;
}

static struct profile_task describe(struct fold *fold, struct process *process,
                                    const struct await_task *task, const struct async_clock *clock)
{
    const struct await_table *table = process->async.table;
    double first_s = ((double)task->first - (double)table->begin_tick) * clock->seconds_per_tick;
    double waiting = task->waiting_since ? fmax(0, clock->tick - (double)task->waiting_since) : 0;
    struct profile_task made = {
        .pid = process->pid,
        .start_s = fmax(0, fold_seconds(fold, table->begin_ns) + first_s),
        .cpu_s = fmax(0, seconds(task->held, clock) - (double)task->blocked_ns / 1e9),
        .await_s = seconds(task->waited, clock) + waiting * clock->seconds_per_tick,
        .longest_s = seconds(task->longest, clock),
        .step_count = task->step_count,
        .has_ended = atomic_load_explicit(&task->state, RELAXED) == AWAIT_TASK_ENDED,
    };
    if (task->name_len > 0 && task->name_len <= AWAIT_NAME_BYTES &&
        python_text_is_width(task->name_width)) {
        char name[NAME_BYTES];
        python_text_copy(task->name, task->name_len, task->name_width, name, sizeof name);
        made.name = mem_copy_text(name);
    }
    const struct code *code = process_code(process, task->code_id);
    if (code) {
        made.coroutine = mem_copy_text(code->name);
        made.file = mem_copy_text(code->path);
        made.line = code->first_line;
    }
    const struct code *creator = process_code(process, task->creator_code_id);
    if (creator) {
        made.creator_file = mem_copy_text(creator->path);
        made.creator_line = line_table_line(&creator->lines, task->creator_offset);
    }
    return made;
}

static void settle_tasks(struct fold *fold, struct process *process,
                         const struct async_clock *clock, bool is_final)
{
    const struct await_table *table = process->async.table;
    struct async_tasks *tasks = is_final ? &fold->tasks : &fold->running_tasks;
    for (size_t i = 0; i < AWAIT_TASK_COUNT; i++) {
        struct await_task task = table->tasks[i];
        uint32_t state = atomic_load_explicit(&task.state, RELAXED);
        if (state == AWAIT_TASK_LIVES || state == AWAIT_TASK_ENDED) {
            struct profile_task made = describe(fold, process, &task, clock);
            async_tasks_add(tasks, &made);
        }
    }
    tasks->unlisted += atomic_load_explicit(&table->tasks_unlisted, RELAXED) & UINT32_MAX;
}

// What has been waited in each chain since the last look.
static void look(struct fold *fold, struct async_watch *watch, const struct async_clock *clock,
                 double now_s)
{
    struct await_spans *spans = &watch->spans;
    spans->last_s = fmax(spans->last_s, fold_seconds(fold, watch->table->begin_ns));
    for (uint32_t i = 0; i < AWAIT_CHAIN_COUNT; i++) {
        struct async_amount amount = async_watch_amount(&watch->table->chains[i].sum, clock);
        if (amount.waited_s > 0) {
            await_spans_add(spans, i, amount.waited_s);
        }
    }
    await_spans_end_look(spans, now_s);
}

void fold_async_look(struct fold *fold, struct process *process, uint64_t now_ns, uint64_t off_ns)
{
    struct async_watch *watch = &process->async;
    double now_s = fold_seconds(fold, now_ns);
    if (fold->has_stacks && watch->table && await_spans_is_due(&watch->spans, now_s)) {
        struct async_clock clock = async_watch_clock(watch, now_ns, off_ns);
        look(fold, watch, &clock, now_s);
    }
}

static void settle_stacks(struct fold *fold, const struct async_watch *watch,
                          const struct async_clock *clock, bool is_final)
{
    struct async_stacks *stacks = is_final ? &fold->awaits : &fold->running_awaits;
    uint32_t *numbers = mem_alloc(AWAIT_CHAIN_COUNT * sizeof *numbers);
    for (uint32_t i = 0; i < AWAIT_CHAIN_COUNT; i++) {
        struct async_amount amount = async_watch_amount(&watch->table->chains[i].sum, clock);
        if (amount.waited_s > 0) {
            numbers[i] = async_stacks_add(stacks, &watch->chains[i], amount.waited_s);
        }
    }
    const struct await_spans *spans = &watch->spans;
    for (size_t i = 0; i < spans->count; i++) {
        const struct await_span *span = &spans->list[i];
        if (numbers[span->chain] != 0) {
            struct async_moment moment = {
                .time_s = span->step * await_spans_step_s(spans),
                .waited_s = span->waited_s,
                .stack = numbers[span->chain] - 1,
            };
            async_stacks_add_moment(stacks, &moment);
        }
    }
    free(numbers);
}

void fold_async_settle(struct fold *fold, struct process *process, uint64_t at_ns, uint64_t off_ns,
                       bool is_final)
{
    struct async_watch *watch = &process->async;
    if (!watch->table) {
        return;
    }
    struct async_clock clock = async_watch_clock(watch, at_ns, off_ns);
    settle_lines(fold, watch, &clock, is_final);
    settle_lost(fold, watch, &clock, is_final);
    settle_tasks(fold, process, &clock, is_final);
    if (fold->has_stacks) {
        look(fold, watch, &clock, fold_seconds(fold, at_ns));
        settle_stacks(fold, watch, &clock, is_final);
    }
    uint64_t own = atomic_load_explicit(&watch->table->own_ticks, RELAXED);
    double *own_s = is_final ? &fold->async_own_s : &fold->running_async_own_s;
    *own_s += seconds(own, &clock);
}

// Most of the stretch was spent on this line of the thread's; TALLY_NONE: on none that is known.
static uint32_t heaviest_spot(const struct thread *thread, double begin_s, double end_s)
{
    uint32_t best = TALLY_NONE;
    double best_s = 0;
    for (size_t i = 0; i < THREAD_RECENT_COUNT; i++) {
        const struct thread_recent *recent = &thread->recent[i];
        double overlap_s = fmin(end_s, recent->end_s) - fmax(begin_s, recent->begin_s);
        if (recent->spot != TALLY_NONE && overlap_s > best_s) {
            best_s = overlap_s;
            best = recent->spot;
        }
    }
    return best;
}

bool fold_loop_block(struct fold *fold, struct process *process, const void *record, size_t len)
{
    const struct record_loop_block *block = record;
    if (len < sizeof *block || block->frame_count > RECORD_FRAME_MAX ||
        sizeof *block + block->frame_count * sizeof(struct record_frame) > len ||
        !fold_is_time(fold, block->time_ns)) {
        return false;
    }
    double end_s = fold_seconds(fold, block->time_ns);
    double duration_s = fmin((double)block->duration_ns / 1e9, end_s);
    struct thread *thread = thread_table_get(&process->threads, block->tid);
    uint32_t spot = heaviest_spot(thread, end_s - duration_s, end_s);
    if (spot == TALLY_NONE) {
        spot = find_spot(fold, process, (const void *)(block + 1), block->frame_count);
    }
    tally_add_block(fold->tally, spot, duration_s);
    return true;
}

static void note_elsewhere(const struct fold *fold, struct profile *profile)
{
    double elsewhere_s = tally_await_elsewhere_s(fold->tally);
    if (elsewhere_s > ELSEWHERE_S && elsewhere_s > profile->await_s * ELSEWHERE_PART) {
        profile_note(profile,
                     "Tasks without a line of the program's own waited for %.3f s: that is in the "
                     "waiting of the lines that await them.",
                     elsewhere_s);
    }
}

static void note_lost(const struct fold *fold, struct profile *profile)
{
    double lost_s = fold->await_lost_s + fold->running_await_lost_s;
    if (lost_s > 0) {
        profile_note(profile,
                     "%.3f s that tasks waited are on no line: a process has room for %u ways to "
                     "wait, and met more.",
                     lost_s, AWAIT_CHAIN_COUNT - 1);
    }
}

void fold_async_fill(struct fold *fold, struct profile *profile)
{
    async_tasks_fill(&fold->tasks, profile);
    async_tasks_fill(&fold->running_tasks, profile);
    async_stacks_fill(&fold->awaits, &fold->running_awaits, profile, fold->period_s);
    async_tasks_clear(&fold->running_tasks);
    async_stacks_clear(&fold->running_awaits);
    note_elsewhere(fold, profile);
    note_lost(fold, profile);
}
