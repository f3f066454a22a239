// SPDX-License-Identifier: Apache-2.0
// Locks that threads wait for, and the lines that hold them. A thread that wants to go on and
// cannot is told from one that is parked until there is work.

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "profile/amount.h"
#include "profile/finding_scene.h"

#define LOCK_PART 0.05 // of the elapsed time
#define LEAST_S   0.05
#define LOCKS_MAX 3
#define HELD_PART 0.5 // of the waiting, that who holds the lock has to account for
#define HOW_TIMED                                                                              \
    "Each wait was timed from its begin to its end, not sampled. The holder is the line that " \
    "took longest where a lock is held that is written the same way, in `with` or after "      \
    "acquire()."

// The lines of one file on which a lock is held, and for how long.
struct holding {
    size_t line_count; // numbers are below it
    bool *is_held;
    bool *is_taken;
    double *cpu_s; // in samples of stacks that pass through the line
};

// Waiting for a thread to end, or for work, is what such a line is there for.
static bool is_parking(const char *text)
{
    static const char *const words[] = {".join(",    ".get(", ".wait(",       ".result(",
                                        "shutdown(", ".map(", "as_completed", "ThreadPool",
                                        ".start(",   ".put("};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (strstr(text, words[i])) {
            return true;
        }
    }
    return false;
}

static const struct lock_span *span_at(const struct lock_span_list *locks, int line)
{
    for (size_t i = 0; i < locks->count; i++) {
        if (lock_span_takes(&locks->spans[i], line)) {
            return &locks->spans[i];
        }
    }
    return NULL;
}

// `with condition: condition.wait()`
static bool waits_inside(const struct lock_span *span, const char *text)
{
    struct text call = {0};
    text_format(&call, "%s.wait", span->lock);
    bool waits = strstr(text, call.data);
    text_clear(&call);
    return waits;
}

// A `with` that takes no lock is left when its pool or its threads have ended.
static bool is_contended(struct scene *scene, struct scene_line where)
{
    const struct lock_span *span = span_at(scene_locks(scene, where.file), where.line->number);
    struct text text = {0};
    scene_text(scene, where.file, where.line->number, &text);
    bool is_so = text.len > 0;
    if (span) {
        is_so = is_so && !is_parking(span->lock) && !waits_inside(span, text.data);
    } else {
        is_so = is_so && !is_parking(text.data) && strncmp(text.data, "with ", 5) != 0;
    }
    text_clear(&text);
    return is_so;
}

static void mark_held(struct holding *holding, const struct lock_span_list *locks,
                      const struct lock_span *taken)
{
    for (size_t i = 0; i < locks->count; i++) {
        const struct lock_span *span = &locks->spans[i];
        if (!lock_span_is_same_lock(span, taken)) {
            continue;
        }
        for (int line = span->held_first; line <= span->held_last; line++) {
            holding->is_held[line] = true;
        }
        for (int line = span->taken_first; line <= span->taken_last; line++) {
            holding->is_taken[line] = true;
        }
    }
}

// Marks the lines of all locks that are taken at a line.
static void find_held(struct holding *holding, const struct lock_span_list *locks, int line)
{
    for (size_t i = 0; i < locks->count; i++) {
        const struct lock_span *span = &locks->spans[i];
        int last = span->held_last > span->taken_last ? span->held_last : span->taken_last;
        if ((size_t)last >= holding->line_count) {
            holding->line_count = (size_t)last + 1;
        }
    }
    holding->is_held = mem_alloc(holding->line_count + 1);
    holding->is_taken = mem_alloc(holding->line_count + 1);
    holding->cpu_s = mem_alloc((holding->line_count + 1) * sizeof *holding->cpu_s);
    for (size_t i = 0; i < locks->count; i++) {
        if (lock_span_takes(&locks->spans[i], line)) {
            mark_held(holding, locks, &locks->spans[i]);
        }
    }
}

// What functions took that were called while the lock was held. Of waits there are no stacks.
static void count_stacks(struct holding *holding, const struct profile *profile, const char *path)
{
    int *held_line = mem_alloc((profile->frame_count + 1) * sizeof *held_line);
    for (size_t i = 0; i < profile->frame_count; i++) {
        const struct profile_frame *frame = &profile->frames[i];
        if (!frame->is_native && frame->line > 0 && (size_t)frame->line < holding->line_count &&
            holding->is_held[frame->line] && frame->file && strcmp(frame->file, path) == 0) {
            held_line[i] = frame->line;
        }
    }
    for (size_t i = 0; i < profile->stack_count; i++) {
        const struct profile_stack *stack = &profile->stacks[i];
        for (size_t j = 0; j < stack->frame_count; j++) {
            uint32_t frame = stack->frames[j];
            if (frame < profile->frame_count && held_line[frame]) {
                holding->cpu_s[held_line[frame]] +=
                    stack->python_s + stack->native_s + stack->system_s;
                break;
            }
        }
    }
    free(held_line);
}

static double held_by(const struct holding *holding, const struct profile_line *line)
{
    const struct profile_times *times = &line->times;
    double waited_s = profile_times_wait_s(times);
    if (holding->is_taken[line->number]) {
        waited_s -= times->wait_s[PROFILE_WAIT_lock];
    }
    return fmax(profile_times_cpu_s(times), holding->cpu_s[line->number]) + waited_s;
}

// The line that holds a lock longest; its number is 0 if none does. It may have no data of its own.
static struct profile_line longest_of(const struct holding *holding,
                                      const struct profile_file *file, double *longest_s)
{
    struct profile_line holder = {0};
    for (size_t i = 1; i < holding->line_count; i++) {
        if (holding->cpu_s[i] > *longest_s) {
            *longest_s = holding->cpu_s[i];
            holder.number = (int)i;
        }
    }
    for (size_t i = 0; i < file->line_count; i++) {
        const struct profile_line *line = &file->lines[i];
        if (line->number > 0 && (size_t)line->number < holding->line_count &&
            holding->is_held[line->number] && held_by(holding, line) > *longest_s) {
            *longest_s = held_by(holding, line);
            holder.number = line->number;
        }
    }
    return holder;
}

static size_t waiting_threads(const struct profile *profile)
{
    size_t count = 0;
    for (size_t i = 0; i < profile->thread_count; i++) {
        count += profile->threads[i].times.wait_s[PROFILE_WAIT_lock] >= LEAST_S;
    }
    return count > 0 ? count : 1;
}

// Who holds the lock, if it explains the waiting: each thread that waited did so for no longer than
// the lock was held. What holds it out of sight (a wait in a function that is called meanwhile) is
// not guessed.
static struct profile_line holder_of(struct scene *scene, struct scene_line waiter)
{
    const struct profile_file *file = &scene->profile->files[waiter.file];
    double waited_s = waiter.line->times.wait_s[PROFILE_WAIT_lock];
    double longest_s = 0;
    struct holding holding = {0};
    find_held(&holding, scene_locks(scene, waiter.file), waiter.line->number);
    count_stacks(&holding, scene->profile, file->path);
    struct profile_line holder = longest_of(&holding, file, &longest_s);
    free(holding.is_held);
    free(holding.is_taken);
    free(holding.cpu_s);
    if (longest_s * (double)waiting_threads(scene->profile) < HELD_PART * waited_s) {
        holder.number = 0;
    }
    return holder;
}

static void add_lock(struct scene *scene, struct scene_line waiter)
{
    struct profile_line holder = holder_of(scene, waiter);
    struct scene_line held_at = {holder.number > 0 ? &holder : NULL, waiter.file};
    double waited_s = waiter.line->times.wait_s[PROFILE_WAIT_lock];
    double part = waited_s / scene->profile->elapsed_s;
    struct text text = {0};
    text_add(&text, "Threads waited ");
    amount_duration(&text, waited_s);
    text_add(&text, " for the lock at ");
    scene_add_place(&text, scene, waiter);
    if (!held_at.line) {
        text_add(&text, "; who holds it is not known");
    } else if (holder.number == waiter.line->number) {
        text_add(&text, ", which is held longest by the same line");
    } else {
        text_add(&text, ", which is held longest by ");
        scene_add_place(&text, scene, held_at);
    }
    text_add(&text, ".");
    struct finding *finding = finding_add(scene, "lock-wait", part, &text);
    finding_evidence(finding, "waiting for the lock", waited_s, "s", -1);
    finding_evidence(finding, "of the elapsed time", 100 * part, "%", -1);
    finding_place(finding, scene, waiter);
    finding_place(finding, scene,
                  holder.number == waiter.line->number ? (struct scene_line){0} : held_at);
    finding_advice(finding, HOW_TIMED,
                   "Hold the lock for less: take slow work out of the locked part, or divide the "
                   "data among several locks.");
    text_clear(&text);
}

static bool is_same_lock(struct scene *scene, struct scene_line a, struct scene_line b)
{
    if (a.file != b.file) {
        return false;
    }
    const struct lock_span_list *locks = scene_locks(scene, a.file);
    const struct lock_span *first = span_at(locks, a.line->number);
    const struct lock_span *second = span_at(locks, b.line->number);
    return a.line == b.line || (first && second && lock_span_is_same_lock(first, second));
}

static bool is_told(struct scene *scene, struct scene_line where, const struct scene_line *told,
                    size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (is_same_lock(scene, where, told[i])) {
            return true;
        }
    }
    return false;
}

// The line that waited longest for a lock that is not told yet.
static struct scene_line next_worst(struct scene *scene, const struct scene_line *told,
                                    size_t count)
{
    const struct profile *profile = scene->profile;
    struct scene_line worst = {0};
    double worst_s = fmax(LEAST_S, LOCK_PART * profile->elapsed_s);
    for (size_t i = 0; i < profile->file_count; i++) {
        for (size_t j = 0; j < profile->files[i].line_count; j++) {
            struct scene_line where = {&profile->files[i].lines[j], i};
            double waited_s = where.line->times.wait_s[PROFILE_WAIT_lock];
            if (waited_s >= worst_s && (waited_s > worst_s || !worst.line) &&
                is_contended(scene, where) && !is_told(scene, where, told, count)) {
                worst_s = waited_s;
                worst = where;
            }
        }
    }
    return worst;
}

void finding_lock(struct scene *scene)
{
    struct scene_line told[LOCKS_MAX] = {{0}};
    for (size_t i = 0; i < LOCKS_MAX && scene->profile->elapsed_s > 0; i++) {
        told[i] = next_worst(scene, told, i);
        if (!told[i].line) {
            return;
        }
        add_lock(scene, told[i]);
    }
}
