// SPDX-License-Identifier: Apache-2.0
#include "profile/async_list.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "profile/field.h"
#include "profile/member.h"

#define SECOND_DECIMALS 9
#define BLOCKS_MAX      100u // lines

static void write_task(struct writer *writer, const struct profile_task *task)
{
    writer_begin_object(writer);
    member_real(writer, "await_s", task->await_s, SECOND_DECIMALS);
    member_text_or_empty(writer, "coroutine", task->coroutine);
    member_real(writer, "cpu_s", task->cpu_s, SECOND_DECIMALS);
    member_text_or_empty(writer, "created_filename", task->creator_file);
    member_integer(writer, "created_lineno", task->creator_line);
    writer_key(writer, "ended");
    writer_bool(writer, task->has_ended);
    member_text_or_empty(writer, "filename", task->file);
    member_integer(writer, "lineno", task->line);
    member_real(writer, "longest_stretch_s", task->longest_s, SECOND_DECIMALS);
    member_text_or_empty(writer, "name", task->name);
    member_integer(writer, "pid", task->pid);
    member_real(writer, "start_s", task->start_s, SECOND_DECIMALS);
    member_integer(writer, "steps", (int64_t)task->step_count);
    writer_end_object(writer);
}

void async_list_write_tasks(struct writer *writer, const struct profile *profile)
{
    writer_key(writer, "async_tasks");
    writer_begin_list(writer);
    for (size_t i = 0; i < profile->task_count && i < PROFILE_TASKS_MAX; i++) {
        write_task(writer, &profile->tasks[i]);
    }
    writer_end_list(writer);
    member_integer(writer, "async_tasks_left_out", (int64_t)profile->tasks_unlisted);
}

struct block {
    const struct profile_file *file;
    const struct profile_line *line;
};

static int compare_blocks(const void *a, const void *b)
{
    double left = ((const struct block *)a)->line->async.block_s;
    double right = ((const struct block *)b)->line->async.block_s;
    return left > right ? -1 : left < right;
}

static size_t find_blocks(const struct profile *profile, struct block **blocks)
{
    size_t count = 0;
    size_t capacity = 0;
    *blocks = NULL;
    for (size_t i = 0; i < profile->file_count; i++) {
        const struct profile_file *file = &profile->files[i];
        for (size_t j = 0; j < file->line_count; j++) {
            if (file->lines[j].async.block_count > 0) {
                *blocks = mem_grow(*blocks, count, &capacity, sizeof **blocks);
                (*blocks)[count++] = (struct block){file, &file->lines[j]};
            }
        }
    }
    if (count > 0) {
        qsort(*blocks, count, sizeof **blocks, compare_blocks);
    }
    return count;
}

void async_list_write_blocks(struct writer *writer, const struct profile *profile)
{
    struct block *blocks;
    size_t count = find_blocks(profile, &blocks);
    writer_key(writer, "loop_blocks");
    writer_begin_list(writer);
    for (size_t i = 0; i < count && i < BLOCKS_MAX; i++) {
        const struct profile_async *async = &blocks[i].line->async;
        writer_begin_object(writer);
        member_integer(writer, "count", (int64_t)async->block_count);
        member_text_or_empty(writer, "filename", blocks[i].file->path);
        member_integer(writer, "lineno", blocks[i].line->number);
        member_real(writer, "longest_s", async->block_longest_s, SECOND_DECIMALS);
        member_real(writer, "total_s", async->block_s, SECOND_DECIMALS);
        writer_end_object(writer);
    }
    writer_end_list(writer);
    free(blocks);
}

// A profile of the original's has shares only; they are shown as such.
void async_list_load(const json_t *object, struct profile_async *async)
{
    double mean = field_real(object, "n_async_concurrency_mean");
    async->await_s = field_real(object, "await_s");
    if (async->await_s <= 0) {
        async->await_s = field_real(object, "n_async_await_percent");
    }
    async->peak = fmax(mean, field_real(object, "n_async_concurrency_peak"));
    async->work_s = field_real(object, "await_work_s");
    async->occupied_s = mean > 0 ? 1 : 0;
    async->shared_s = mean;
    async->is_coroutine = field_bool(object, "is_coroutine");
    size_t count;
    char **names = field_texts(object, "async_task_names", &count);
    for (size_t i = 0; i < count; i++) {
        profile_async_add_name(async, names[i]);
        free(names[i]);
    }
    free(names);
}

static void load_tasks(const json_t *root, struct profile *profile)
{
    const json_t *list = json_object_get(root, "async_tasks");
    for (size_t i = 0; i < json_array_size(list) && i < PROFILE_TASKS_MAX; i++) {
        const json_t *object = json_array_get(list, i);
        profile->tasks = mem_grow(profile->tasks, profile->task_count, &profile->task_capacity,
                                  sizeof *profile->tasks);
        profile->tasks[profile->task_count++] = (struct profile_task){
            .pid = field_integer(object, "pid"),
            .name = field_text(object, "name"),
            .coroutine = field_text(object, "coroutine"),
            .file = field_text(object, "filename"),
            .line = field_integer(object, "lineno"),
            .creator_file = field_text(object, "created_filename"),
            .creator_line = field_integer(object, "created_lineno"),
            .start_s = field_real(object, "start_s"),
            .cpu_s = field_real(object, "cpu_s"),
            .await_s = field_real(object, "await_s"),
            .longest_s = field_real(object, "longest_stretch_s"),
            .step_count = field_count(object, "steps"),
            .has_ended = field_bool(object, "ended"),
        };
    }
    profile->tasks_unlisted = field_count(root, "async_tasks_left_out");
}

static struct profile_file *find_file(struct profile *profile, const char *path)
{
    for (size_t i = 0; path && i < profile->file_count; i++) {
        if (strcmp(profile->files[i].path, path) == 0) {
            return &profile->files[i];
        }
    }
    return NULL;
}

static void load_blocks(const json_t *root, struct profile *profile)
{
    const json_t *list = json_object_get(root, "loop_blocks");
    for (size_t i = 0; i < json_array_size(list) && i < BLOCKS_MAX; i++) {
        const json_t *object = json_array_get(list, i);
        char *path = field_text(object, "filename");
        int number = field_integer(object, "lineno");
        struct profile_file *file = find_file(profile, path);
        if (file && number > 0 && number <= PROFILE_LINE_MAX) {
            struct profile_line *line = profile_line(file, number);
            line->async.block_count = field_count(object, "count");
            line->async.block_s = field_real(object, "total_s");
            line->async.block_longest_s = field_real(object, "longest_s");
        }
        free(path);
    }
}

void async_list_load_all(const json_t *root, struct profile *profile)
{
    profile->has_async = field_bool(root, "async_profile");
    load_tasks(root, profile);
    load_blocks(root, profile);
}
