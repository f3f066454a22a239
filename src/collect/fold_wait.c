// SPDX-License-Identifier: Apache-2.0
// Folds what a wait says: who waited for what, on which line; and when nobody ran meanwhile.

#include <math.h>

#include "collect/fold_stack.h"
#include "collect/fold_thread.h"

_Static_assert((int)WAIT_KIND_COUNT == (int)PROFILE_WAIT_COUNT - 1, "the profile has gpu besides");

static const enum profile_wait wait_names[WAIT_KIND_COUNT] = {
    [WAIT_GIL] = PROFILE_WAIT_gil,         [WAIT_LOCK] = PROFILE_WAIT_lock,
    [WAIT_SLEEP] = PROFILE_WAIT_sleep,     [WAIT_DISK] = PROFILE_WAIT_disk,
    [WAIT_NETWORK] = PROFILE_WAIT_network, [WAIT_PIPE] = PROFILE_WAIT_pipe,
    [WAIT_CHILD] = PROFILE_WAIT_child,     [WAIT_OTHER] = PROFILE_WAIT_other,
};

static void note_waiting(struct fold *fold, struct thread *thread, double from_s, double to_s)
{
    double wall = from_s - thread->busy_from_s;
    if (wall > 0) {
        double part = 1 - fmin(1, thread->short_wait_s / wall);
        idle_add_busy(fold->idle, &thread->idle, thread->busy_from_s, from_s, part);
        thread->busy_s += wall * part;
    }
    thread->busy_from_s = fmax(thread->busy_from_s, to_s);
    thread->short_wait_s = 0;
}

struct waited {
    uint32_t spot;
    enum profile_wait kind;
    double begin_s;
    double end_s;
};

static void add_wait(struct fold *fold, const struct process *process, struct thread *thread,
                     const struct waited *wait)
{
    enum profile_wait kind = wait->kind;
    double duration_s = wait->end_s - wait->begin_s;
    tally_add_wait(fold->tally, thread->pool, wait->spot, kind, duration_s);
    thread->times.wait_s[kind] += duration_s;
    thread->last_spot = wait->spot;
    thread_note_recent(thread, wait->spot, wait->begin_s, wait->end_s);
    fold_credit_gpu(fold, process, wait->spot, wait->begin_s, wait->end_s);
    if (fold_is_main_thread(fold, process, thread)) {
        idle_add_wait(fold->idle, wait->spot, wait->begin_s, wait->end_s);
    }
}

// A stopped thread does not wait. (Many short waits in one record have no place in time.)
static double waited_s(const struct fold *fold, const struct record_wait *wait)
{
    double stopped_ns = 0;
    if (!(wait->flags & WAIT_IS_SAMPLED)) {
        stopped_ns = pause_list_before(&fold->stops, wait->time_ns) -
                     pause_list_before(&fold->stops, wait->time_ns - wait->duration_ns);
    }
    return ((double)wait->duration_ns - stopped_ns) / 1e9;
}

// A call that a vendor's library makes for a line of Python is a wait for its accelerator. (Its own
// threads are parked in such calls all the time.)
static enum profile_wait waited_for(struct fold *fold, struct process *process, enum wait_kind kind,
                                    uint64_t caller, double now_s)
{
    const struct image *image = caller != 0 ? fold_image_at(process, caller, now_s) : NULL;
    bool is_gpu = gpu_calls_is_runtime(&fold->gpu_calls, image);
    return is_gpu ? PROFILE_WAIT_gpu : wait_names[kind];
}

bool fold_wait(struct fold *fold, struct process *process, const void *record, size_t len)
{
    const struct record_wait *wait = record;
    if (len < sizeof *wait || wait->kind >= WAIT_KIND_COUNT ||
        wait->frame_count > RECORD_FRAME_MAX ||
        sizeof *wait + wait->frame_count * sizeof(struct record_frame) > len ||
        !fold_is_time(fold, wait->time_ns) ||
        !fold_is_span(fold, wait->time_ns, wait->duration_ns)) {
        return false;
    }
    double end_s = fold_seconds(fold, wait->time_ns);
    double duration_s = waited_s(fold, wait);
    struct thread *thread = fold_thread(fold, process, wait->tid, end_s);
    uint32_t spot =
        wait->flags & WAIT_SAME_STACK
            ? thread->last_wait_spot
            : fold_spot(fold, process, thread, (const void *)(wait + 1), wait->frame_count);
    thread->last_wait_spot = spot;
    thread->wait_count++;
    enum profile_wait kind = waited_for(fold, process, (enum wait_kind)wait->kind,
                                        wait->frame_count > 0 ? wait->caller : 0, end_s);
    add_wait(fold, process, thread, &(struct waited){spot, kind, end_s - duration_s, end_s});
    if (wait->flags & WAIT_IS_SAMPLED) {
        thread->short_wait_s += duration_s;
    } else {
        note_waiting(fold, thread, end_s - duration_s, end_s);
    }
    return true;
}

void fold_open_wait(struct fold *fold, struct process *process, const struct fold_open_wait *wait)
{
    struct thread *thread = fold_thread(fold, process, wait->tid, wait->begin_s);
    uint32_t spot =
        wait->frame ? fold_spot(fold, process, thread, wait->frame, 1) : thread->last_spot;
    enum profile_wait kind = waited_for(fold, process, wait->kind, wait->caller, wait->begin_s);
    add_wait(fold, process, thread, &(struct waited){spot, kind, wait->begin_s, wait->end_s});
    note_waiting(fold, thread, wait->begin_s, wait->end_s);
}
