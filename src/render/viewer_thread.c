// SPDX-License-Identifier: Apache-2.0
// Threads and processes of the viewer form.

#include "render/viewer_part.h"

#define SECOND_DECIMALS 6
#define MB_DECIMALS     4
#define THREAD_MAX      10000
#define PROCESS_MAX     10000
#define IDLE_CPU_PART   0.01 // of its life: a thread that ran less
#define IDLE_WAIT_PART  0.9  // and waited more is parked
#define IDLE_LIFE_S     0.5

// A pool's worker without work, a loop with nothing to do. The main thread never counts as one.
static bool is_idle(const struct profile *profile, const struct profile_thread *thread)
{
    double life_s = thread->end_s - thread->start_s;
    const double *waits = thread->times.wait_s;
    double parked_s = waits[PROFILE_WAIT_lock] + waits[PROFILE_WAIT_network] +
                      waits[PROFILE_WAIT_pipe] + waits[PROFILE_WAIT_other];
    return thread->thread_id != profile->main_thread_id && life_s >= IDLE_LIFE_S &&
           profile_times_cpu_s(&thread->times) < IDLE_CPU_PART * life_s &&
           parked_s >= IDLE_WAIT_PART * life_s;
}

static void write_thread(struct viewer *viewer, const struct profile_thread *thread)
{
    const struct profile *profile = viewer->profile;
    writer_begin_object(viewer->writer);
    viewer_real(viewer, "end_s", thread->end_s, SECOND_DECIMALS);
    writer_key(viewer->writer, "id");
    writer_unsigned(viewer->writer, thread->thread_id);
    viewer_bool(viewer, "is_idle", is_idle(profile, thread));
    viewer_bool(viewer, "is_main", thread->thread_id == profile->main_thread_id);
    viewer_text(viewer, "name", thread->name ? thread->name : "");
    viewer_real(viewer, "native_s", thread->times.native_s, SECOND_DECIMALS);
    viewer_integer(viewer, "pid", thread->pid);
    viewer_real(viewer, "python_s", thread->times.python_s, SECOND_DECIMALS);
    viewer_real(viewer, "start_s", thread->start_s, SECOND_DECIMALS);
    viewer_real(viewer, "system_s", thread->times.system_s, SECOND_DECIMALS);
    viewer_waits(viewer, &thread->times);
    writer_end_object(viewer->writer);
}

void viewer_write_threads(struct viewer *viewer)
{
    writer_key(viewer->writer, "threads");
    writer_begin_list(viewer->writer);
    for (size_t i = 0; i < viewer->profile->thread_count && i < THREAD_MAX; i++) {
        write_thread(viewer, &viewer->profile->threads[i]);
    }
    writer_end_list(viewer->writer);
}

static void write_process(struct viewer *viewer, const struct profile_process *process)
{
    writer_begin_object(viewer->writer);
    writer_key(viewer->writer, "command");
    writer_begin_list(viewer->writer);
    for (size_t i = 0; i < process->command_count; i++) {
        writer_text(viewer->writer, process->command[i]);
    }
    writer_end_list(viewer->writer);
    viewer_real(viewer, "cpu_s", process->cpu_s, SECOND_DECIMALS);
    viewer_real(viewer, "end_s", process->end_s, SECOND_DECIMALS);
    viewer_ending(viewer, &process->ended);
    viewer_bool(viewer, "is_profiled", process->is_profiled);
    viewer_integer(viewer, "parent_pid", process->parent_pid);
    viewer_real(viewer, "peak_footprint_mb", process->peak_footprint_mb, MB_DECIMALS);
    viewer_real(viewer, "peak_rss_mb", process->peak_rss_mb, MB_DECIMALS);
    viewer_integer(viewer, "pid", process->pid);
    viewer_text(viewer, "python_version", process->python_version);
    viewer_real(viewer, "start_s", process->start_s, SECOND_DECIMALS);
    viewer_text(viewer, "why_not", process->why_not);
    writer_end_object(viewer->writer);
}

void viewer_write_processes(struct viewer *viewer)
{
    writer_key(viewer->writer, "processes");
    writer_begin_list(viewer->writer);
    for (size_t i = 0; i < viewer->profile->process_count && i < PROCESS_MAX; i++) {
        write_process(viewer, &viewer->profile->processes[i]);
    }
    writer_end_list(viewer->writer);
}
