// SPDX-License-Identifier: Apache-2.0
// Tasks of the viewer form: what each coroutine that was driven by itself did and waited.

#include "render/viewer_part.h"

#define SECOND_DECIMALS 6

static void write_task(struct viewer *viewer, const struct profile_task *task)
{
    writer_begin_object(viewer->writer);
    viewer_real(viewer, "await_s", task->await_s, SECOND_DECIMALS);
    viewer_text(viewer, "coroutine", task->coroutine ? task->coroutine : "");
    viewer_real(viewer, "cpu_s", task->cpu_s, SECOND_DECIMALS);
    viewer_text(viewer, "creator_file", task->creator_file);
    viewer_integer(viewer, "creator_line", task->creator_line);
    viewer_text(viewer, "file", task->file);
    viewer_bool(viewer, "has_ended", task->has_ended);
    viewer_integer(viewer, "line", task->line);
    viewer_real(viewer, "longest_s", task->longest_s, SECOND_DECIMALS);
    viewer_text(viewer, "name", task->name ? task->name : "");
    viewer_integer(viewer, "pid", task->pid);
    viewer_real(viewer, "start_s", task->start_s, SECOND_DECIMALS);
    viewer_integer(viewer, "step_count", (int64_t)task->step_count);
    writer_end_object(viewer->writer);
}

void viewer_write_tasks(struct viewer *viewer)
{
    const struct profile *profile = viewer->profile;
    if (!profile->has_async) {
        return;
    }
    writer_key(viewer->writer, "tasks");
    writer_begin_list(viewer->writer);
    for (size_t i = 0; i < profile->task_count && i < PROFILE_TASKS_MAX; i++) {
        write_task(viewer, &profile->tasks[i]);
    }
    writer_end_list(viewer->writer);
    viewer_real(viewer, "tasks_left_out", (double)profile->tasks_unlisted, 0);
}
