// SPDX-License-Identifier: Apache-2.0
#include "collect/open_wait.h"

#include <math.h>
#include <stdlib.h>

#include "collect/fold_stack.h"
#include "collect/remote_call.h"
#include "collect/remote_code.h"

#define LOOK_AFTER_NS    100000000u
#define LOOKS_PER_SECOND 100.0 // at some 50 us each
#define COMPUTES_NS      100000000u

// The number of a code object, which is read now if it was never sent, or if its place in memory
// has another one by now; 0 when it cannot be had.
static uint32_t code_id(const struct open_wait_reader *reader, struct process *process,
                        struct remote_memory *memory, uint64_t address)
{
    uint32_t known_id = process_code_at(process, address);
    const struct code *known = process_code(process, known_id);
    if (known && known->first_line == remote_code_first_line(memory, &process->remote, address)) {
        return known_id;
    }
    struct record_code *record;
    size_t len;
    if (!remote_code_read(memory, &process->remote, address, &record, &len)) {
        return 0;
    }
    record->code_id = PROCESS_REMOTE_CODE | process->remote_code_count;
    bool is_taken = process_take_code(process, record, len, reader->is_ours, reader->context);
    free(record);
    return is_taken ? PROCESS_REMOTE_CODE | process->remote_code_count++ : 0;
}

// The innermost frame in a profiled file.
static struct record_frame find_frame(const struct open_wait_reader *reader,
                                      struct process *process, struct remote_memory *memory,
                                      const struct remote_frame *frames, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        uint32_t id = code_id(reader, process, memory, frames[i].code);
        const struct code *code = process_code(process, id);
        if (code && code->is_ours) {
            return (struct record_frame){id, frames[i].offset};
        }
    }
    return (struct record_frame){0};
}

static void read_wait(const struct open_wait_reader *reader, struct process *process,
                      const struct wait_view *view, struct open_wait *seen)
{
    const struct thread *thread = thread_table_get(&process->threads, view->tid);
    struct remote_memory memory = {.pid = process->pid};
    struct remote_frame frames[RECORD_FRAME_MAX];
    enum remote_call state = remote_call_look(&memory, &process->remote, view->tid, &seen->kind);
    seen->is_running = state == REMOTE_CALL_RUNNING;
    seen->is_refused = state == REMOTE_CALL_REFUSED;
    if (seen->is_running) {
        return;
    }
    size_t count =
        remote_stack_walk(&memory, &process->remote, view->state, thread->python_id, frames);
    seen->frame = find_frame(reader, process, &memory, frames, count);
    seen->is_refused = seen->is_refused || memory.is_refused;
    seen->is_read = true;
}

static bool take_look(struct open_wait_reader *reader, uint64_t now_ns)
{
    double passed_s = (double)(now_ns - reader->last_ns) / 1e9;
    reader->looks = fmin(LOOKS_PER_SECOND, reader->looks + passed_s * LOOKS_PER_SECOND);
    reader->last_ns = now_ns;
    if (reader->looks < 1) {
        return false;
    }
    reader->looks -= 1;
    return true;
}

// After an exec the table is that of a program which is no more. (One that failed leaves it going
// on, with waits that began later.)
static bool is_before_end(const struct fold *fold, const struct process *process,
                          const struct wait_view *view)
{
    return process->has_end && fold_seconds(fold, view->begin_ns) <= process->end_s;
}

void open_wait_look(struct open_wait_reader *reader, const struct fold *fold,
                    struct process *process, uint64_t now_ns)
{
    const struct wait_table *waits = &process->ring.header->waits;
    for (size_t i = 0; i < WAIT_SLOT_COUNT; i++) {
        struct wait_view view;
        if (!wait_table_read(waits, i, &view) || view.begin_ns > now_ns - LOOK_AFTER_NS ||
            is_before_end(fold, process, &view)) {
            continue;
        }
        struct open_wait *last = &thread_table_get(&process->threads, view.tid)->open_wait;
        if (last->begin_ns == view.begin_ns && last->is_read) {
            continue;
        }
        if (!take_look(reader, now_ns)) {
            return;
        }
        struct open_wait seen = {.begin_ns = view.begin_ns, .kind = WAIT_OTHER, .look_ns = now_ns};
        if (last->begin_ns == view.begin_ns) {
            seen.look_ns = last->look_ns;
        }
        seen.running_ns = now_ns - seen.look_ns;
        read_wait(reader, process, &view, &seen);
        // Whose library it is can be told later, once its place is known.
        (void)fold_image_at(process, view.caller, fold_seconds(fold, now_ns));
        if (wait_table_goes_on(waits, i, &view)) {
            thread_table_get(&process->threads, view.tid)->open_wait = seen;
        }
    }
}

// One that is being killed runs too, to its end: only who is seen at it for longer does not wait.
static bool is_computing(const struct open_wait *seen)
{
    return seen->is_running && seen->running_ns >= COMPUTES_NS;
}

static void settle(struct fold *fold, struct process *process, const struct wait_view *view,
                   double now_s)
{
    const struct thread *thread = thread_table_get(&process->threads, view->tid);
    struct open_wait seen = {.kind = WAIT_OTHER};
    if (thread->open_wait.begin_ns == view->begin_ns) {
        seen = thread->open_wait;
    }
    struct fold_open_wait wait = {
        .tid = view->tid,
        .kind = seen.kind,
        .frame = seen.is_read && !seen.is_refused ? &seen.frame : NULL,
        .caller = view->state != 0 ? view->caller : 0,
        .begin_s = fold_seconds(fold, view->begin_ns),
        .end_s = is_before_end(fold, process, view) ? process->end_s : now_s,
    };
    if (thread->has_ended && thread->end_s >= wait.begin_s) {
        wait.end_s = fmin(wait.end_s, thread->end_s);
    }
    // Up to its last sample it ran: kept from the call by others, or it has left the call by a
    // jump. And up to its last recorded wait, which may be this one.
    wait.begin_s = fmax(wait.begin_s, thread->busy_from_s);
    if (wait.end_s > wait.begin_s && !is_computing(&seen)) {
        fold->open_wait_count++;
        fold->refused_waits += seen.is_refused;
        fold_open_wait(fold, process, &wait);
    }
}

void open_wait_settle(struct fold *fold, struct process *process, uint64_t now_ns)
{
    if (process->has_settled_waits) {
        return;
    }
    process->has_settled_waits = true;
    for (size_t i = 0; i < WAIT_SLOT_COUNT; i++) {
        struct wait_view view;
        if (wait_table_read(&process->ring.header->waits, i, &view) && view.begin_ns < now_ns) {
            settle(fold, process, &view, fold_seconds(fold, now_ns));
        }
    }
}
