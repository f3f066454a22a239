// SPDX-License-Identifier: Apache-2.0
// What keeps an event loop from its work: steps that do not give way, awaits one after another, and
// nothing but awaits.

#include <math.h>

#include "profile/amount.h"
#include "profile/finding_scene.h"

#define BLOCK_LEAST_S  0.1
#define WAITING_PART   0.5 // of the elapsed time: the loop has little else to do
#define AT_ONCE_MOST   1.2 // tasks that wait at the same time, on the average
#define STEPS_LEAST    3   // a task with two awaits, one after the other
#define SERIAL_LEAST_S 0.2
#define SERIAL_WEIGHT  0.92 // above the thread's waiting, which is the same seconds
#define IDLE_PART      0.30 // of the elapsed time
#define IDLE_LEAST_S   0.05
#define IDLE_WEIGHT    0.9
#define HOW_TIMED      "Each await was timed from its begin to its end, not sampled."

static double block_of_line(const struct profile_line *line)
{
    return line->async.block_longest_s >= BLOCK_LEAST_S ? line->async.block_s : 0;
}

static double await_of_line(const struct profile_line *line)
{
    return line->async.await_s;
}

// Where there is one task alone, nobody waits for it to give way.
static bool has_other_tasks(const struct profile *profile)
{
    return profile->task_count + profile->tasks_unlisted > 1;
}

static void find_blocks(struct scene *scene)
{
    const struct profile *profile = scene->profile;
    struct scene_line worst = scene_heaviest(scene, block_of_line);
    if (!worst.line || !has_other_tasks(profile) || profile->elapsed_s <= 0) {
        return;
    }
    const struct profile_async *async = &worst.line->async;
    double part = fmin(1, async->block_s / profile->elapsed_s);
    struct text text = {0};
    scene_add_place(&text, scene, worst);
    text_add(&text, " kept the event loop from everything else ");
    if (async->block_count > 1) {
        text_format(&text, "%llu times, ", (unsigned long long)async->block_count);
    }
    text_add(&text, "for ");
    amount_duration(&text, async->block_longest_s);
    if (async->block_count > 1) {
        text_add(&text, " at the longest, ");
        amount_duration(&text, async->block_s);
        text_add(&text, " in all");
    }
    text_add(&text, ".");
    struct finding *finding = finding_add(scene, "loop-blocked", part, &text);
    finding_evidence(finding, "stretches of 50 ms or more", (double)async->block_count, "", -1);
    finding_evidence(finding, "the longest", async->block_longest_s, "s", -1);
    finding_evidence(finding, "in all", async->block_s, "s", -1);
    finding_evidence(finding, "of the elapsed time", 100 * part, "%", -1);
    finding_place(finding, scene, worst);
    finding_advice(finding,
                   "Each step of a task and each callback was timed from its begin to its end; the "
                   "line is the one on which the thread was for most of it.",
                   "Give way inside long work (await asyncio.sleep(0)), or hand it to a thread or "
                   "a process: asyncio.to_thread, run_in_executor.");
    text_clear(&text);
}

// The one that waited longest of those that awaited more than once.
static const struct profile_task *patient_task(const struct profile *profile)
{
    const struct profile_task *longest = NULL;
    for (size_t i = 0; i < profile->task_count; i++) {
        const struct profile_task *task = &profile->tasks[i];
        if (task->step_count >= STEPS_LEAST && (!longest || task->await_s > longest->await_s)) {
            longest = task;
        }
    }
    return longest;
}

// One task that waits for most of the run, and hardly another beside it. All that tasks waited is
// no more than the run is long: so they did not wait at the same time.
static bool find_serial(struct scene *scene)
{
    const struct profile *profile = scene->profile;
    const struct profile_task *task = patient_task(profile);
    struct scene_line worst = scene_heaviest(scene, await_of_line);
    double elapsed_s = profile->elapsed_s;
    if (!task || !worst.line || elapsed_s <= 0 || task->await_s < SERIAL_LEAST_S ||
        task->await_s < WAITING_PART * elapsed_s || profile->await_s > AT_ONCE_MOST * elapsed_s) {
        return false;
    }
    double part = fmin(1, task->await_s / elapsed_s);
    struct text text = {0};
    text_format(&text, "Tasks waited one after another for %.0f%% of the run (", 100 * part);
    amount_duration(&text, task->await_s);
    text_add(&text, "), most of it at ");
    scene_add_place(&text, scene, worst);
    text_add(&text, ".");
    struct finding *finding = finding_add(scene, "serial-awaits", SERIAL_WEIGHT * part, &text);
    finding_evidence(finding, "waiting of the task", task->await_s, "s", -1);
    finding_evidence(finding, "tasks that waited at once, on the average",
                     profile->await_s / elapsed_s, "", -1);
    finding_place(finding, scene, worst);
    finding_advice(finding, HOW_TIMED,
                   "If these waits do not need each other's results, begin them together: "
                   "asyncio.gather, or a TaskGroup.");
    text_clear(&text);
    return true;
}

static void find_idle(struct scene *scene)
{
    const struct profile *profile = scene->profile;
    struct scene_line worst = scene_heaviest(scene, await_of_line);
    double idle_s = scene_loop_idle_s(scene);
    if (idle_s < IDLE_LEAST_S || idle_s < IDLE_PART * profile->elapsed_s) {
        return;
    }
    double part = fmin(1, idle_s / profile->elapsed_s);
    struct text text = {0};
    text_format(&text, "For %.0f%% of the run (", 100 * part);
    amount_duration(&text, idle_s);
    text_add(&text, ") the event loop had nothing to do: its tasks waited");
    if (worst.line) {
        text_add(&text, ", most of all at ");
        scene_add_place(&text, scene, worst);
    }
    text_add(&text, ".");
    struct finding *finding = finding_add(scene, "loop-idle", IDLE_WEIGHT * part, &text);
    finding_evidence(finding, "nothing ready", idle_s, "s", -1);
    finding_evidence(finding, "tasks that waited at once, on the average",
                     profile->await_s / profile->elapsed_s, "", -1);
    finding_place(finding, scene, worst);
    finding_advice(finding, HOW_TIMED,
                   "The loop has time for more at once. Else look at what answers so slowly.");
    text_clear(&text);
}

void finding_async(struct scene *scene)
{
    find_blocks(scene);
    if (!find_serial(scene)) {
        find_idle(scene); // the same seconds
    }
}
