// SPDX-License-Identifier: Apache-2.0
#include "cli/recording.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/mem.h"
#include "cli/closing.h"
#include "cli/message.h"
#include "collect/collector.h"
#include "launch/path.h"
#include "launch/program.h"
#include "launch/run_dir.h"
#include "profile/save.h"

#define NS_PER_S       1e9
#define MAX_PAUSE_MS   1000
#define LOADER_SPECIAL " :$" // what LD_PRELOAD cannot have in a path

struct recording {
    const struct recording_plan *plan;
    char **argv;
    struct filter filter;
    struct run_dir dir;
    struct program program;
    struct collector *collector; // NULL: it could not be made
    double start_unix_s;
};

static char **split_list(const char *list, size_t *count)
{
    char **parts = NULL;
    size_t capacity = 0;
    *count = 0;
    while (list && *list) {
        size_t len = strcspn(list, ",");
        const char *part = list + strspn(list, " ");
        if (part < list + len) {
            parts = mem_grow(parts, *count, &capacity, sizeof *parts);
            parts[(*count)++] = mem_copy_bytes(part, (size_t)(list + len - part));
        }
        list += len + (list[len] == ',');
    }
    return parts;
}

static void make_filter(struct recording *recording)
{
    const struct settings *settings = recording->plan->settings;
    struct filter *filter = &recording->filter;
    filter->program_dir = settings->program_path ? path_absolute(settings->program_path)
                                                 : recording->plan->target->directory;
    filter->program_name = recording->plan->target->code_name;
    filter->has_all = settings->profiles_all;
    filter->has_system_libraries = settings->profiles_system_libraries;
    filter->only = split_list(settings->profile_only, &filter->only_count);
    filter->exclude = split_list(settings->profile_exclude, &filter->exclude_count);
}

static char **make_argv(const struct recording_plan *plan)
{
    size_t count = (size_t)plan->target->word_count;
    char **argv = mem_alloc((count + 2) * sizeof *argv);
    argv[0] = plan->interpreter->name;
    memcpy(argv + 1, plan->target->words, count * sizeof *argv);
    return argv;
}

static bool open_run_dir(struct recording *recording, struct error *err)
{
    const struct settings *settings = recording->plan->settings;
    struct run_dir_options options = {
        .is_on = settings->is_on,
        .has_stacks = settings->has_stacks,
        .has_waits = !settings->has_virtual_time,
        .has_memory = settings_has_memory(settings),
        .allocation_mean = settings->allocation_window_bytes,
        .period_ns = (uint64_t)llround(settings->cpu_sampling_s * NS_PER_S),
    };
    return run_dir_open(&recording->dir, &options, err);
}

// A library whose path the loader would take apart is reached through a link.
static const char *loadable_agent(const struct recording *recording, char link[PATH_MAX])
{
    const char *agent = recording->plan->agent;
    if (!strpbrk(agent, LOADER_SPECIAL)) {
        return agent;
    }
    return run_dir_link(&recording->dir, "agent.so", agent, link) ? link : agent;
}

static bool start_program(struct recording *recording, struct error *err)
{
    char link[PATH_MAX];
    struct program_options options = {
        .path = recording->plan->interpreter->path,
        .argv = recording->argv,
        .agent = loadable_agent(recording, link),
        .run_dir = recording->dir.path,
    };
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    recording->start_unix_s = (double)now.tv_sec + (double)now.tv_nsec / NS_PER_S;
    return program_start(&recording->program, &options, err);
}

static void start_collector(struct recording *recording)
{
    const struct settings *settings = recording->plan->settings;
    struct collector_options options = {
        .run_dir = recording->dir.path,
        .filter = &recording->filter,
        .period_s = settings->cpu_sampling_s,
        .has_stacks = settings->has_stacks,
        .has_memory = settings_has_memory(settings),
        .has_leak_detector = settings->has_leak_detector,
        .has_virtual_time = settings->has_virtual_time,
        .start_ns = recording->program.start_ns,
        .root_pid = recording->program.pid,
    };
    struct error err;
    if (!collector_new(&recording->collector, &options, &err)) {
        message_print("cannot profile: %s; the program runs unprofiled", err.text);
        recording->collector = NULL;
    }
}

static char **copy_words(char **words, size_t count)
{
    char **copies = mem_alloc((count + 1) * sizeof *copies);
    for (size_t i = 0; i < count; i++) {
        copies[i] = mem_copy_text(words[i]);
    }
    return copies;
}

// What was started may have started the real interpreter in its place.
static const char *executable_of(const struct recording *recording, const struct profile *profile)
{
    for (size_t i = 0; i < profile->process_count; i++) {
        const struct profile_process *process = &profile->processes[i];
        if (process->pid == recording->program.pid && process->python_version &&
            process->command_count > 0 && strchr(process->command[0], '/')) {
            return process->command[0];
        }
    }
    return recording->plan->interpreter->path;
}

static void describe_run(const struct recording *recording, struct profile *profile)
{
    const struct target *target = recording->plan->target;
    profile->program = mem_copy_text(target->program);
    profile->program_dir = mem_copy_text(recording->filter.program_dir);
    profile->entrypoint_dir = mem_copy_text(target->entry_dir);
    profile->arg_count = (size_t)(target->word_count - target->first_arg);
    profile->args = copy_words(target->words + target->first_arg, profile->arg_count);
    profile->command_count = (size_t)target->word_count + 1;
    profile->command = copy_words(recording->argv, profile->command_count);
    if (!profile->python_executable) {
        profile->python_executable = path_absolute(executable_of(recording, profile));
    }
    profile->start_time_absolute_s = recording->start_unix_s;
    profile->start_time_perf_s = (double)recording->program.start_ns / NS_PER_S;
    profile->has_virtual_time = recording->plan->settings->has_virtual_time;
    profile->cpu_percent_threshold = recording->plan->settings->cpu_percent_threshold;
    if (!recording->plan->settings->is_on) {
        profile_note(profile, "Profiling was off from the start (--off).");
    }
}

// Code given after -c is in no file: its text is on the command line.
static void add_own_source(const struct target *target, struct profile *profile)
{
    for (size_t i = 0; target->code && i < profile->file_count; i++) {
        struct profile_file *file = &profile->files[i];
        if (!file->source && strcmp(file->path, target->code_name) == 0) {
            file->source = mem_copy_text(target->code);
        }
    }
}

static struct profile *make_profile(struct recording *recording)
{
    struct profile *profile = profile_new();
    collector_fill(recording->collector, profile);
    describe_run(recording, profile);
    add_own_source(recording->plan->target, profile);
    return profile;
}

static double seconds_since(uint64_t start_ns)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / NS_PER_S - (double)start_ns / NS_PER_S;
}

// Says nothing: the terminal is the program's while it runs.
static void save_meanwhile(struct recording *recording)
{
    struct profile *profile = make_profile(recording);
    char *elsewhere = NULL;
    struct error err;
    if (profile_save(profile, recording->plan->outfile, &elsewhere, &err)) {
        free(elsewhere);
    }
    profile_free(profile);
}

static void follow_program(struct recording *recording)
{
    double interval_s = recording->plan->settings->profile_interval_s;
    double next_save_s = interval_s;
    int pause_ms = 0;
    while (!program_wait(&recording->program, pause_ms)) {
        unsigned wanted_ms =
            recording->collector ? collector_drain(recording->collector) : MAX_PAUSE_MS;
        pause_ms = wanted_ms < MAX_PAUSE_MS ? (int)wanted_ms : MAX_PAUSE_MS;
        double run_s = seconds_since(recording->program.start_ns);
        if (run_s >= next_save_s && recording->collector) {
            save_meanwhile(recording);
            next_save_s = seconds_since(recording->program.start_ns) + interval_s;
        } else if ((next_save_s - run_s) * 1000 < pause_ms) {
            pause_ms = (int)((next_save_s - run_s) * 1000) + 1;
        }
    }
}

static void save_at_the_end(struct recording *recording)
{
    const struct program *program = &recording->program;
    struct collector_ending ending = {
        .wait_status = program->wait_status,
        .usage = program->usage,
        .end_ns = program->end_ns,
        .cpu_s = program->cpu_s,
    };
    collector_root_ended(recording->collector, &ending);
    collector_drain(recording->collector);
    struct profile *profile = make_profile(recording);
    char *elsewhere = NULL;
    struct error err;
    if (!profile_save(profile, recording->plan->outfile, &elsewhere, &err)) {
        message_print("the profile is lost: %s", err.text);
    } else {
        if (elsewhere) {
            message_print("%s", err.text);
        }
        closing_print(profile, elsewhere ? elsewhere : recording->plan->outfile);
    }
    free(elsewhere);
    profile_free(profile);
}

bool recording_run(const struct recording_plan *plan, struct error *err)
{
    struct recording recording = {.plan = plan, .dir = {.fd = -1}};
    recording.argv = make_argv(plan);
    make_filter(&recording);
    if (!open_run_dir(&recording, err)) {
        message_print("cannot profile: %s; the program runs unprofiled", err->text);
        return program_become(plan->interpreter->path, recording.argv, err);
    }
    if (!start_program(&recording, err)) {
        run_dir_close(&recording.dir);
        return false;
    }
    start_collector(&recording);
    follow_program(&recording);
    if (recording.collector) {
        save_at_the_end(&recording);
        collector_free(recording.collector);
    }
    run_dir_close(&recording.dir);
    program_end_alike(&recording.program);
}
