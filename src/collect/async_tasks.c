// SPDX-License-Identifier: Apache-2.0
#include "collect/async_tasks.h"

#include <stdlib.h>

#include "base/mem.h"

#define KEPT_MAX    (4u * PROFILE_TASKS_MAX) // before the lightest go
#define HELD_WEIGHT 16

static double weight(const struct profile_task *task)
{
    return task->cpu_s + task->await_s;
}

static int compare(double left, double right)
{
    return left > right ? -1 : left < right;
}

static int compare_tasks(const void *a, const void *b)
{
    return compare(weight(a), weight(b));
}

// What holds its loop is looked for, however little it computes and waits. The agent weighs alike.
static double merit(const struct profile_task *task)
{
    return weight(task) + HELD_WEIGHT * task->longest_s;
}

static int compare_merits(const void *a, const void *b)
{
    return compare(merit(a), merit(b));
}

static void clear_task(struct profile_task *task)
{
    free(task->name);
    free(task->coroutine);
    free(task->file);
    free(task->creator_file);
}

// Keeps those of most merit.
static void limit(struct async_tasks *tasks)
{
    if (tasks->count > PROFILE_TASKS_MAX) {
        qsort(tasks->list, tasks->count, sizeof *tasks->list, compare_merits);
    }
    while (tasks->count > PROFILE_TASKS_MAX) {
        clear_task(&tasks->list[--tasks->count]);
        tasks->unlisted++;
    }
}

void async_tasks_add(struct async_tasks *tasks, const struct profile_task *task)
{
    tasks->list = mem_grow(tasks->list, tasks->count, &tasks->capacity, sizeof *tasks->list);
    tasks->list[tasks->count++] = *task;
    if (tasks->count > KEPT_MAX) {
        limit(tasks);
    }
}

static char *copy_text(const char *text)
{
    return text ? mem_copy_text(text) : NULL;
}

void async_tasks_fill(struct async_tasks *tasks, struct profile *profile)
{
    limit(tasks);
    if (tasks->count > 0) {
        qsort(tasks->list, tasks->count, sizeof *tasks->list, compare_tasks);
    }
    profile->tasks_unlisted += tasks->unlisted;
    for (size_t i = 0; i < tasks->count; i++) {
        struct profile_task copy = tasks->list[i];
        copy.name = copy_text(copy.name);
        copy.coroutine = copy_text(copy.coroutine);
        copy.file = copy_text(copy.file);
        copy.creator_file = copy_text(copy.creator_file);
        profile->tasks = mem_grow(profile->tasks, profile->task_count, &profile->task_capacity,
                                  sizeof *profile->tasks);
        profile->tasks[profile->task_count++] = copy;
    }
}

void async_tasks_clear(struct async_tasks *tasks)
{
    for (size_t i = 0; i < tasks->count; i++) {
        clear_task(&tasks->list[i]);
    }
    free(tasks->list);
    *tasks = (struct async_tasks){0};
}
