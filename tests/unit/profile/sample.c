// SPDX-License-Identifier: Apache-2.0
#include "sample.h"

#include "base/mem.h"

static char **copy_texts(size_t *count, const char *first, const char *second)
{
    char **texts = mem_alloc(2 * sizeof *texts);
    texts[0] = mem_copy_text(first);
    texts[1] = mem_copy_text(second);
    *count = 2;
    return texts;
}

static void add_lines(struct profile *profile, const char *path)
{
    struct profile_file *file = profile_file(profile, path);
    struct profile_line *line = profile_line(file, 3);
    line->times = (struct profile_times){.python_s = 1.0 / 3,
                                         .native_s = 0.2,
                                         .system_s = 0.1,
                                         .variance_s2 = 0.0001,
                                         .utilization_sum = 20,
                                         .sample_count = 40};
    line->times.wait_s[PROFILE_WAIT_gil] = 0.75;
    line->times.wait_s[PROFILE_WAIT_child] = 0.25;
    line->sample_times_s = mem_alloc(3 * sizeof(double));
    line->sample_times_s[0] = 12.5;
    line->sample_times_s[1] = 11.25;
    line->sample_times_s[2] = 13;
    line->sample_time_count = 3;
    profile_line(file, 1)->times.idle_s = 0.5;
    profile_function(file, "outer.<locals>.inner", 2)->times = line->times;
    line->memory = (struct profile_memory){.allocated_mb = 300,
                                           .python_mb = 75,
                                           .usage_fraction = 0.75,
                                           .alloc_count = 12,
                                           .error_mb = 0.25,
                                           .live_error_mb = 0.5,
                                           .average_mb = 90,
                                           .peak_mb = 200,
                                           .at_peak_mb = 180,
                                           .at_end_mb = 20,
                                           .copied_mb = 60};
    line->memory.points = mem_alloc(2 * sizeof *line->memory.points);
    line->memory.points[0] = (struct profile_point){0.25, 200};
    line->memory.points[1] = (struct profile_point){0.5, 20};
    line->memory.point_count = 2;
    profile_function(file, "<module>", 1)->times.python_s = 1;
    struct profile_file *small = profile_file(profile, "/nowhere/small.py");
    profile_line(small, 2)->times.python_s = 0.001;
}

static void add_stacks(struct profile *profile)
{
    profile->frames = mem_alloc(2 * sizeof *profile->frames);
    profile->frames[0] = (struct profile_frame){
        .name = mem_copy_text("main"), .file = mem_copy_text("/x/main.py"), .line = 9};
    profile->frames[1] = (struct profile_frame){.is_native = true,
                                                .name = mem_copy_text("memcpy"),
                                                .file = mem_copy_text("libc.so.6"),
                                                .ip = 0x7fffdeadbeef,
                                                .offset = 12};
    profile->frame_count = 2;
    profile->stacks = mem_alloc(sizeof *profile->stacks);
    profile->stack_count = 1;
    profile->stacks[0] = (struct profile_stack){
        .frames = mem_alloc(sizeof(uint32_t)), .frame_count = 1, .hits = 40, .python_s = 0.5};
    profile->combined = mem_alloc(sizeof *profile->combined);
    profile->combined_count = 1;
    profile->combined[0] = (struct profile_stack){
        .frames = mem_alloc(2 * sizeof(uint32_t)), .frame_count = 2, .hits = 40};
    profile->combined[0].frames[1] = 1;
    profile->timeline = mem_alloc(sizeof *profile->timeline);
    profile->timeline_count = 1;
    profile->timeline[0] =
        (struct profile_run){.t_s = 0.25, .stack = 0, .count = 40, .thread_id = 77};
}

static void add_processes(struct profile *profile)
{
    profile->threads = mem_alloc(sizeof *profile->threads);
    profile->thread_count = 1;
    profile->threads[0] = (struct profile_thread){
        .pid = 10, .thread_id = 77, .name = mem_copy_text("MainThread"), .end_s = 2};
    profile->threads[0].times = profile->totals;
    profile->processes = mem_alloc(2 * sizeof *profile->processes);
    profile->process_count = 2;
    for (int i = 0; i < 2; i++) {
        struct profile_process *process = &profile->processes[i];
        *process = (struct profile_process){
            .pid = 10 + i, .parent_pid = 9 + i, .cpu_s = 0.5, .peak_rss_mb = 12.5};
        process->command = copy_texts(&process->command_count, "python3", "main.py");
        process->ended = (struct profile_ending){"exit", i};
    }
    profile->processes[0].is_profiled = true;
    profile->processes[0].python_version = mem_copy_text("3.12.1");
    profile->processes[1].why_not = mem_copy_text("not Python");
}

static void add_footprint(struct profile *profile, const char *path)
{
    profile->has_memory = true;
    profile->footprint = (struct profile_footprint){.max_mb = 250,
                                                    .python_fraction = 0.5,
                                                    .growth_percent = 5,
                                                    .allocated_mb = 400,
                                                    .native_allocated_mb = 100,
                                                    .native_at_peak_mb = 75,
                                                    .unattributed_at_peak_mb = -5,
                                                    .file_mapped_mb = 3,
                                                    .shared_mb = 2,
                                                    .event_count = 99,
                                                    .line = 3};
    profile->footprint.path = mem_copy_text(path);
    profile->footprint.points = mem_alloc(sizeof *profile->footprint.points);
    profile->footprint.points[0] = (struct profile_point){0.25, 250};
    profile->footprint.point_count = 1;
    profile->memory_stacks = mem_alloc(sizeof *profile->memory_stacks);
    profile->memory_stack_count = 1;
    profile->memory_stacks[0] = (struct profile_memory_stack){
        .frames = mem_alloc(sizeof(uint32_t)), .frame_count = 1, .allocated_mb = 300};
}

struct profile *sample_profile(const char *path)
{
    struct profile *profile = profile_new();
    profile->program = mem_copy_text("/x/main.py");
    profile->program_dir = mem_copy_text("/x");
    profile->entrypoint_dir = mem_copy_text("/x");
    profile->args = copy_texts(&profile->arg_count, "main.py", "--fast");
    profile->command = copy_texts(&profile->command_count, "python3", "main.py");
    profile->python_version = mem_copy_text("3.12.1");
    profile->python_executable = mem_copy_text("/usr/bin/python3");
    profile->elapsed_s = 1.2;
    profile->start_time_absolute_s = 1731700000.5;
    profile->start_time_perf_s = 10.5;
    profile->main_thread_id = 0x7ffff7d8a740;
    profile->ended = (struct profile_ending){"signal", 9};
    profile->totals =
        (struct profile_times){.python_s = 0.4, .native_s = 0.2, .system_s = 0.1, .idle_s = 0.5};
    profile->totals.wait_s[PROFILE_WAIT_gil] = 0.75;
    profile->ready_s = 0.125;
    profile->cpu_kernel_says_s = 0.71;
    profile->quality = (struct profile_quality){.cpu_samples = 70,
                                                .cpu_samples_lost = 1,
                                                .cpu_samples_late = 2,
                                                .cpu_unattributed_s = 0.03,
                                                .interval_asked_s = 0.01,
                                                .interval_reached_s = 0.0101,
                                                .own_cpu_in_program_s = 0.001,
                                                .own_cpu_beside_s = 0.02,
                                                .own_memory_mb = 2.5};
    profile_note(profile, "a note of %d words", 5);
    add_lines(profile, path);
    add_footprint(profile, path);
    add_stacks(profile);
    add_processes(profile);
    return profile;
}
