// SPDX-License-Identifier: Apache-2.0
// The GIL: who waited for it, and who held it. Waits are timed; that a thread holds it is seen in
// samples which found it in the interpreter's own code.

#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/mem.h"
#include "profile/amount.h"
#include "profile/finding_scene.h"

#define GIL_PART   0.10 // of running plus waiting for the GIL
#define LEAST_S    0.05
#define LEAST_HITS 5 // samples without which no holder is named
#define HOW_TIMED                                                                                  \
    "Each wait was timed from its begin to its end, not sampled. Who held the GIL is told by the " \
    "samples in Python code and in the interpreter, of threads other than the one that waits."

// A line that held it, in samples and their time.
struct hold {
    struct scene_line where;
    double hits;
    double held_s;
};

static double gil_of_line(const struct profile_line *line)
{
    return line->times.wait_s[PROFILE_WAIT_gil];
}

static const char *base_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static bool begins_with_any(const char *text, const char *const *words, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (strncmp(text, words[i], strlen(words[i])) == 0) {
            return true;
        }
    }
    return false;
}

static bool is_interpreter(const struct profile *profile, const char *module)
{
    static const char *const words[] = {"libpython", "python"};
    const char *executable = profile->python_executable;
    return begins_with_any(module, words, sizeof words / sizeof *words) ||
           (executable && strcmp(module, base_of(executable)) == 0);
}

// What works for whoever called it, with or without the GIL.
static bool is_servant(const char *module)
{
    static const char *const words[] = {"libc.",      "libc-", "libm.",  "libm-",
                                        "libpthread", "ld-",   "[vdso]", "libscalene-agent"};
    return begins_with_any(module, words, sizeof words / sizeof *words);
}

// Native code of other libraries may have released it: what is not known is not counted.
static bool is_native_held(const struct profile *profile, const struct profile_stack *stack)
{
    for (size_t i = stack->frame_count; i > 0 && stack->frames[i - 1] < profile->frame_count; i--) {
        const struct profile_frame *frame = &profile->frames[stack->frames[i - 1]];
        const char *module = frame->is_native && frame->file ? base_of(frame->file) : "";
        if (!is_servant(module)) {
            return is_interpreter(profile, module);
        }
    }
    return false;
}

static double held_s_of(const struct profile *profile, const struct profile_stack *stack)
{
    return stack->python_s + (is_native_held(profile, stack) ? stack->native_s : 0);
}

static struct scene_line innermost_of(const struct profile_stack *stack,
                                      const struct scene_line *frames, size_t frame_count)
{
    struct scene_line innermost = {0};
    for (size_t i = stack->frame_count; i > 0 && !innermost.line; i--) {
        if (stack->frames[i - 1] < frame_count) {
            innermost = frames[stack->frames[i - 1]];
        }
    }
    return innermost;
}

// Frames are looked up once, and then stacks: there are far more of these, and of runs.
static struct hold *holds_of_stacks(const struct scene *scene)
{
    const struct profile *profile = scene->profile;
    struct scene_line *frames = mem_alloc((profile->frame_count + 1) * sizeof *frames);
    struct hold *holds = mem_alloc((profile->combined_count + 1) * sizeof *holds);
    for (size_t i = 0; i < profile->frame_count; i++) {
        frames[i] = scene_of_frame(scene, &profile->frames[i]);
    }
    for (size_t i = 0; i < profile->combined_count; i++) {
        const struct profile_stack *stack = &profile->combined[i];
        holds[i].where = innermost_of(stack, frames, profile->frame_count);
        holds[i].hits = (double)stack->hits;
        holds[i].held_s = held_s_of(profile, stack);
    }
    free(frames);
    return holds;
}

static bool is_run_at(const struct profile *profile, const struct profile_run *run,
                      const struct hold *holds, const struct profile_line *line)
{
    return run->stack < profile->combined_count && holds[run->stack].where.line == line;
}

// The thread that is most at the line that waits; 0: no sample tells.
static uint64_t thread_at(const struct profile *profile, const struct hold *holds,
                          const struct profile_line *line)
{
    struct map counts = {0};
    uint64_t thread_id = 0;
    uint64_t most = 0;
    for (size_t i = 0; i < profile->timeline_count; i++) {
        const struct profile_run *run = &profile->timeline[i];
        if (run->thread_id == 0 || !is_run_at(profile, run, holds, line)) {
            continue;
        }
        uint64_t count = map_get(&counts, run->thread_id) + run->count;
        map_put(&counts, run->thread_id, count);
        if (count > most) {
            most = count;
            thread_id = run->thread_id;
        }
    }
    map_clear(&counts);
    return thread_id;
}

static uint64_t longest_waiter(const struct profile *profile)
{
    uint64_t thread_id = 0;
    double most_s = 0;
    for (size_t i = 0; i < profile->thread_count; i++) {
        if (profile->threads[i].times.wait_s[PROFILE_WAIT_gil] > most_s) {
            most_s = profile->threads[i].times.wait_s[PROFILE_WAIT_gil];
            thread_id = profile->threads[i].thread_id;
        }
    }
    return thread_id;
}

static int pid_of(const struct profile *profile, uint64_t thread_id)
{
    for (size_t i = 0; i < profile->thread_count; i++) {
        if (profile->threads[i].thread_id == thread_id) {
            return profile->threads[i].pid;
        }
    }
    return 0;
}

// Threads that may hold what the waiter waits for: each process has a GIL of its own.
static struct map rivals_of(const struct profile *profile, uint64_t waiter_id)
{
    struct map rivals = {0};
    int pid = pid_of(profile, waiter_id);
    for (size_t i = 0; i < profile->thread_count; i++) {
        const struct profile_thread *thread = &profile->threads[i];
        if (thread->pid == pid && thread->thread_id != waiter_id) {
            map_put(&rivals, thread->thread_id, 1);
        }
    }
    return rivals;
}

// Adds a run to what its line held, and returns the sum.
static const struct hold *add_run(struct hold *lines, struct map *indices, const struct hold *hold,
                                  uint32_t count)
{
    uint64_t key = (uintptr_t)hold->where.line;
    uint64_t index = map_get(indices, key);
    if (index == 0) {
        index = indices->count + 1;
        map_put(indices, key, index);
        lines[index - 1].where = hold->where;
    }
    lines[index - 1].hits += count;
    lines[index - 1].held_s += hold->held_s * count / hold->hits;
    return &lines[index - 1];
}

// The line on which other threads than the waiter held it most.
static struct hold heaviest_rival(const struct profile *profile, const struct hold *holds,
                                  uint64_t waiter_id)
{
    struct map rivals = rivals_of(profile, waiter_id);
    struct map indices = {0}; // of the line's address: index + 1 into lines
    struct hold *lines = mem_alloc((profile->combined_count + 1) * sizeof *lines);
    struct hold heaviest = {0};
    for (size_t i = 0; i < profile->timeline_count; i++) {
        const struct profile_run *run = &profile->timeline[i];
        if (run->stack >= profile->combined_count || !map_get(&rivals, run->thread_id)) {
            continue;
        }
        const struct hold *hold = &holds[run->stack];
        if (hold->where.line && hold->hits > 0 && hold->held_s > 0) {
            const struct hold *sum = add_run(lines, &indices, hold, run->count);
            heaviest = sum->held_s > heaviest.held_s ? *sum : heaviest;
        }
    }
    map_clear(&rivals);
    map_clear(&indices);
    free(lines);
    return heaviest;
}

static struct scene_line holder_of(const struct scene *scene, struct scene_line waiter)
{
    const struct profile *profile = scene->profile;
    struct hold *holds = holds_of_stacks(scene);
    uint64_t waiter_id = waiter.line ? thread_at(profile, holds, waiter.line) : 0;
    if (waiter_id == 0) {
        waiter_id = longest_waiter(profile);
    }
    struct hold holder = heaviest_rival(profile, holds, waiter_id);
    free(holds);
    return holder.hits >= LEAST_HITS ? holder.where : (struct scene_line){0};
}

static void add_gil(struct scene *scene, double waited_s, double part)
{
    struct scene_line waiter = scene_heaviest(scene, gil_of_line);
    struct scene_line holder = holder_of(scene, waiter);
    bool is_same = holder.line && holder.line == waiter.line;
    struct text text = {0};
    text_add(&text, "Threads waited ");
    amount_duration(&text, waited_s);
    text_add(&text, " for the GIL");
    scene_add_most(&text, scene, waiter);
    if (is_same) {
        text_add(&text, ", where other threads held it most, too");
    } else if (holder.line) {
        text_add(&text, "; other threads held it most at ");
        scene_add_place(&text, scene, holder);
    }
    text_add(&text, ".");
    struct finding *finding = finding_add(scene, "gil-contention", part, &text);
    finding_evidence(finding, "waiting for the GIL", waited_s, "s", -1);
    finding_evidence(finding, "of running and waiting", 100 * part, "%", -1);
    if (scene->profile->elapsed_s > 0) {
        finding_evidence(finding, "cores in use on average",
                         scene->cpu_s / scene->profile->elapsed_s, "", -1);
    }
    finding_place(finding, scene, waiter);
    finding_place(finding, scene, is_same ? (struct scene_line){0} : holder);
    finding_advice(finding, HOW_TIMED,
                   "Threads do not run Python code at the same time: use processes for it, or "
                   "native code that releases the GIL.");
    text_clear(&text);
}

void finding_gil(struct scene *scene)
{
    double waited_s = scene->profile->totals.wait_s[PROFILE_WAIT_gil];
    double all_s = waited_s + scene->cpu_s;
    if (waited_s >= LEAST_S && waited_s >= GIL_PART * all_s) {
        add_gil(scene, waited_s, waited_s / all_s);
    }
}
