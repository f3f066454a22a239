// SPDX-License-Identifier: Apache-2.0
#include "cli/recording.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/mem.h"
#include "cli/checkpoint.h"
#include "cli/closing.h"
#include "cli/description.h"
#include "cli/last_work.h"
#include "cli/message.h"
#include "cli/outliving.h"
#include "cli/progress.h"
#include "cli/recording_options.h"
#include "collect/collector.h"
#include "launch/copy.h"
#include "launch/leftover.h"
#include "launch/package_folder.h"
#include "launch/path.h"
#include "launch/program.h"
#include "launch/run_dir.h"
#include "launch/run_switch.h"
#include "profile/save.h"
#include "profile/trace.h"

#define NS_PER_S       1e9
#define MAX_PAUSE_MS   1000
#define SAVE_GAP_S     1.0   // at least, between two savings because of a pause
#define LOADER_SPECIAL " :$" // what LD_PRELOAD cannot have in a path

struct recording {
    const struct recording_plan *plan;
    char **argv;
    struct filter filter;
    struct run_dir dir;
    struct program program;
    struct collector *collector; // NULL: it could not be made
    struct checkpoint checkpoint;
    struct copy snapshot; // writes what --profile-interval asks for
    struct leftover_list leftovers;
    double start_unix_s;
    pid_t own_pid;      // not that of a copy
    bool was_on;        // sampling, when last looked at
    double saved_s;     // when the profile was last saved meanwhile, since the program's start
    double next_save_s; // when it is to be saved next
};

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
    struct run_dir_options options = recording_run_dir_options(recording->plan->settings);
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

// For `scalene recover`, which otherwise saves where it is called.
static void note_outfile(const struct recording *recording)
{
    char *outfile = path_absolute(recording->plan->outfile);
    char link[PATH_MAX];
    run_dir_link(&recording->dir, RUN_DIR_OUTFILE, outfile, link);
    free(outfile);
}

static bool start_program(struct recording *recording, struct error *err)
{
    char link[PATH_MAX];
    struct program_options options = {
        .path = recording->plan->interpreter->path,
        .argv = recording->argv,
        .agent = loadable_agent(recording, link),
        .run_dir = recording->dir.path,
        .control = recording->dir.control,
    };
    package_folder_tell(&recording->dir, recording->plan->agent);
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    recording->start_unix_s = (double)now.tv_sec + (double)now.tv_nsec / NS_PER_S;
    return program_start(&recording->program, &options, err);
}

static void start_collector(struct recording *recording)
{
    struct collector_options options = recording_collector_options(recording->plan->settings);
    options.run_dir = recording->dir.path;
    options.filter = &recording->filter;
    options.start_ns = recording->program.start_ns;
    options.root_pid = recording->program.pid;
    struct error err;
    if (!collector_new(&recording->collector, &options, &err)) {
        message_print("cannot profile: %s; the program runs unprofiled", err.text);
        recording->collector = NULL;
    }
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

// Time that was not looked at is in no line, and the profile says so.
static void note_pauses(const struct recording *recording, struct profile *profile)
{
    double off_s = run_switch_off_s(&recording->dir);
    if (off_s > 0) {
        profile_note(profile, "Profiling was off for %.2f s%s.", off_s,
                     recording->plan->settings->is_on ? " (scalene pause)" : " (--off)");
    }
}

static void describe_run(const struct recording *recording, struct profile *profile)
{
    const struct recording_plan *plan = recording->plan;
    struct description description = {
        .settings = plan->settings,
        .target = plan->target,
        .filter = &recording->filter,
        .name = plan->interpreter->name,
        .executable = executable_of(recording, profile),
        .start_unix_s = recording->start_unix_s,
        .start_ns = recording->program.start_ns,
    };
    description_add(&description, profile);
    if (!plan->settings->profiles_children) {
        profile_note(profile, "Processes started by the program were not profiled "
                              "(--no-profile-children).");
    }
    note_pauses(recording, profile);
}

static struct profile *make_profile(void *context)
{
    struct recording *recording = context;
    struct profile *profile = profile_new();
    collector_fill(recording->collector, profile);
    outliving_note(recording->collector, profile);
    describe_run(recording, profile);
    finding_search(profile);
    return profile;
}

// What it cannot have of a trace is no reason to lose the rest.
static void add_trace(const struct settings *settings, struct profile *profile)
{
    const char *path = settings->trace ? settings->trace : settings->imports_trace ? "." : NULL;
    struct error err;
    if (path && !trace_add(profile, path, &err)) {
        message_print("no trace was added: %s", err.text);
        profile_note(profile, "No trace was added: %s.", err.text);
    }
}

static double seconds_since(uint64_t start_ns)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / NS_PER_S - (double)start_ns / NS_PER_S;
}

// Says nothing: the terminal is the program's while it runs.
static void save_snapshot(void *context)
{
    struct recording *recording = context;
    struct profile *profile = make_profile(recording);
    struct error err;
    profile_save_here(profile, recording->plan->outfile, &err);
    profile_free(profile);
}

// Who pauses a run wants to see it: the profile is then saved, but not every time in a program that
// turns itself on and off all the time.
static void look_for_pause(struct recording *recording)
{
    bool is_on = run_switch_is_on(&recording->dir);
    if (recording->was_on && !is_on) {
        double now_s = seconds_since(recording->program.start_ns);
        recording->next_save_s =
            fmin(recording->next_save_s, fmax(now_s, recording->saved_s + SAVE_GAP_S));
    }
    recording->was_on = is_on;
}

// One after the other, however long it takes. Returns the seconds until the next is due.
static double snapshot_tick(struct recording *recording)
{
    double now_s = seconds_since(recording->program.start_ns);
    if (now_s >= recording->next_save_s && copy_has_ended(&recording->snapshot)) {
        if (!copy_start(&recording->snapshot, save_snapshot, recording)) {
            save_snapshot(recording);
        }
        recording->saved_s = now_s;
        recording->next_save_s = now_s + recording->plan->settings->profile_interval_s;
    }
    return fmax(0, recording->next_save_s - now_s);
}

// Reads what there is, and keeps it. Returns the seconds until it is to be called again.
static double keep_up(void *context)
{
    struct recording *recording = context;
    look_for_pause(recording); // before what came until then is read
    double pause_s = (double)collector_drain(recording->collector) / 1000;
    pause_s = fmin(pause_s, checkpoint_tick(&recording->checkpoint));
    return fmin(pause_s, snapshot_tick(recording));
}

static void take_stops(struct recording *recording)
{
    struct program_stop stop;
    while (program_take_stop(&recording->program, &stop)) {
        collector_add_stop(recording->collector, stop.begin_ns, stop.end_ns);
    }
    collector_hold_program(recording->collector, program_is_stopped(&recording->program));
}

static void follow_program(struct recording *recording)
{
    recording->next_save_s = recording->plan->settings->profile_interval_s;
    int pause_ms = 0;
    struct progress progress;
    progress_open(&progress, recording->plan->settings->shows_progress);
    while (!program_wait(&recording->program, pause_ms)) {
        if (!recording->collector) {
            pause_ms = MAX_PAUSE_MS;
            continue;
        }
        take_stops(recording);
        double pause_s = keep_up(recording);
        progress_step(&progress, recording->collector, seconds_since(recording->program.start_ns));
        pause_ms = (int)ceil(fmin(pause_s * 1000, MAX_PAUSE_MS));
    }
    progress_close(&progress);
}

static void start_checkpoints(struct recording *recording)
{
    struct checkpoint_plan plan = {
        .collector = recording->collector,
        .make = make_profile,
        .context = recording,
        .run_dir = recording->dir.path,
        .root_pid = recording->program.pid,
        .waits_for_children = recording->plan->settings->waits_for_children,
    };
    checkpoint_open(&recording->checkpoint, &plan);
}

// The program is not to hear of it that our memory is at an end. What was known at the last
// checkpoint can be had; a copy has nobody to wait for.
static void run_on_unread(void *context)
{
    struct recording *recording = context;
    if (recording->own_pid != getpid()) {
        _exit(EXIT_FAILURE);
    }
    message_print(
        "the program is not disturbed; of its profile there is what was known until then: "
        "scalene recover %s",
        recording->dir.path);
    while (!program_wait(&recording->program, -1)) {
    }
    program_end_alike(&recording->program);
}

// A snapshot that is being written must not replace the last profile.
static void end_copies(struct recording *recording)
{
    checkpoint_close(&recording->checkpoint);
    copy_wait(&recording->snapshot);
    collector_add_own_cpu(recording->collector, recording->snapshot.cpu_s);
}

// Of what is kept nothing may later replace it that is older.
static void save_before_waiting(void *context)
{
    struct recording *recording = context;
    copy_wait(&recording->snapshot);
    save_snapshot(recording);
    checkpoint_renew(&recording->checkpoint);
}

static void follow_children(struct recording *recording)
{
    struct outliving outliving = {
        .collector = recording->collector,
        .program = &recording->program,
        .is_waited_for = recording->plan->settings->waits_for_children,
        .outfile = recording->plan->outfile,
        .save = save_before_waiting,
        .keep_up = keep_up,
        .context = recording,
    };
    outliving_follow(&outliving);
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
    struct last_work work;
    struct watcher watcher = {.context = &work, .step = last_work_step};
    last_work_begin(&work);
    last_work_name(&work, "reading the last samples");
    take_stops(recording);
    collector_root_ended(recording->collector, &ending);
    collector_drain(recording->collector);
    follow_children(recording);
    end_copies(recording);
    last_work_name(&work, "resolving native symbols");
    collector_watch(recording->collector, &watcher);
    struct profile *profile = make_profile(recording);
    collector_watch(recording->collector, NULL);
    add_trace(recording->plan->settings, profile);
    last_work_name(&work, "writing the profile");
    char *elsewhere = NULL;
    struct error err;
    bool is_saved = profile_save(profile, recording->plan->outfile, &watcher, &elsewhere, &err);
    last_work_end(&work);
    if (!is_saved) {
        message_print("the profile is lost: %s", err.text);
    } else {
        if (elsewhere) {
            message_print("%s", err.text);
        }
        closing_print(profile, elsewhere ? elsewhere : recording->plan->outfile,
                      &recording->leftovers);
    }
    free(elsewhere);
    profile_free(profile);
}

bool recording_run(const struct recording_plan *plan, struct error *err)
{
    struct recording recording = {.plan = plan, .dir = {.fd = -1}, .own_pid = getpid()};
    recording.argv = make_argv(plan);
    description_make_filter(&recording.filter, plan->settings, plan->target);
    if (!open_run_dir(&recording, err)) {
        message_print("cannot profile: %s; the program runs unprofiled", err->text);
        return program_become(plan->interpreter->path, recording.argv, err);
    }
    if (!start_program(&recording, err)) {
        run_dir_close(&recording.dir);
        return false;
    }
    mem_at_exhaustion(run_on_unread, &recording);
    start_collector(&recording);
    if (recording.collector) {
        note_outfile(&recording);
        start_checkpoints(&recording);
    }
    leftover_sweep(&recording.leftovers);
    follow_program(&recording);
    if (recording.collector) {
        save_at_the_end(&recording);
        collector_free(recording.collector);
    }
    run_dir_close(&recording.dir);
    program_end_alike(&recording.program);
}
