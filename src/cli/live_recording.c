// SPDX-License-Identifier: Apache-2.0
#include "cli/live_recording.h"

#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/text.h"
#include "cli/description.h"
#include "cli/recording_options.h"
#include "collect/collector.h"
#include "launch/live_program.h"
#include "launch/run_dir.h"
#include "profile/save.h"

#define NS_PER_S 1e9

struct live_recording {
    const struct live_recording_plan *plan;
    struct filter filter;
    struct run_dir dir;
    struct live_program program;
    struct collector *collector;
    uint64_t start_ns; // CLOCK_MONOTONIC
    double start_unix_s;
};

static void read_clocks(struct live_recording *recording)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    recording->start_ns = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
    clock_gettime(CLOCK_REALTIME, &now);
    recording->start_unix_s = (double)now.tv_sec + (double)now.tv_nsec / NS_PER_S;
}

static bool open_run_dir(struct live_recording *recording, struct error *err)
{
    struct run_dir_options options = recording_run_dir_options(recording->plan->settings);
    options.is_on = true;
    options.is_alone = false;
    return run_dir_open(&recording->dir, &options, err);
}

static bool open_collector(struct live_recording *recording, struct error *err)
{
    struct collector_options options = recording_collector_options(recording->plan->settings);
    options.run_dir = recording->dir.path;
    options.filter = &recording->filter;
    options.start_ns = recording->start_ns;
    options.root_pid = recording->plan->pid;
    return collector_new(&recording->collector, &options, err);
}

// Whoever reads our output waits for its end.
static void say_where(const struct live_recording *recording)
{
    printf("%s\n", recording->dir.path);
    fflush(stdout);
    int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
    dup2(nothing, STDOUT_FILENO);
    dup2(nothing, STDERR_FILENO);
    close(nothing);
}

static char *executable_of(int pid)
{
    char path[64];
    char target[PATH_MAX];
    snprintf(path, sizeof path, "/proc/%d/exe", pid);
    ssize_t len = readlink(path, target, sizeof target);
    return len > 0 ? mem_copy_bytes(target, (size_t)len) : mem_copy_text("python");
}

static void note_what_is_missing(struct profile *profile, bool has_memory)
{
    profile_note(profile, "Profiling was started inside the running program: calls that were "
                          "waiting already, and programs that it starts, are not seen.");
    if (has_memory) {
        profile_note(profile, "Memory is counted from the start of profiling: blocks that are "
                              "older are not known, and freeing them makes the footprint smaller.");
    }
}

static void describe(const struct live_recording *recording, struct profile *profile)
{
    const struct live_recording_plan *plan = recording->plan;
    char *executable = executable_of(plan->pid);
    struct description description = {
        .settings = plan->settings,
        .target = plan->target,
        .filter = &recording->filter,
        .name = executable,
        .executable = executable,
        .start_unix_s = recording->start_unix_s,
        .start_ns = recording->start_ns,
    };
    description_add(&description, profile);
    note_what_is_missing(profile, settings_has_memory(plan->settings));
    free(executable);
}

// What is to be told of it. A program that never joined leaves an older profile as it is.
static char *save(struct live_recording *recording)
{
    struct profile *profile = profile_new();
    collector_fill(recording->collector, profile);
    describe(recording, profile);
    finding_search(profile);
    char *elsewhere = NULL;
    struct error err;
    struct text answer = {0};
    if (profile->process_count == 0) {
        text_add(&answer, "!the program did not join the run");
    } else if (profile_save(profile, recording->plan->outfile, NULL, &elsewhere, &err)) {
        text_add(&answer, elsewhere ? elsewhere : recording->plan->outfile);
    } else {
        text_format(&answer, "!%s", err.text);
    }
    free(elsewhere);
    profile_free(profile);
    return answer.data;
}

static double seconds_since(uint64_t start_ns)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / NS_PER_S - (double)start_ns / NS_PER_S;
}

static void follow(struct live_recording *recording)
{
    enum live_program_state state = LIVE_PROGRAM_RUNS;
    double interval_s = recording->plan->settings->profile_interval_s;
    double next_save_s = interval_s;
    int pause_ms = 0;
    while (state == LIVE_PROGRAM_RUNS) {
        state = live_program_wait(&recording->program, pause_ms);
        pause_ms = (int)collector_drain(recording->collector);
        if (seconds_since(recording->start_ns) >= next_save_s) {
            free(save(recording));
            next_save_s = seconds_since(recording->start_ns) + interval_s;
        }
    }
    collector_stop(recording->collector);
}

static void end(struct live_recording *recording)
{
    if (recording->collector) {
        collector_free(recording->collector);
    }
    live_program_clear(&recording->program);
    run_dir_close(&recording->dir);
}

bool live_recording_run(const struct live_recording_plan *plan, struct error *err)
{
    struct live_recording recording = {.plan = plan, .dir = {.fd = -1}, .program = {.pidfd = -1}};
    read_clocks(&recording);
    description_make_filter(&recording.filter, plan->settings, plan->target);
    bool is_ready = open_run_dir(&recording, err) &&
                    live_program_find(&recording.program, plan->pid, &recording.dir, err) &&
                    open_collector(&recording, err);
    if (is_ready) {
        say_where(&recording);
        follow(&recording);
        char *answer = save(&recording);
        live_program_answer(&recording.program, answer);
        free(answer);
    }
    end(&recording);
    return is_ready;
}
