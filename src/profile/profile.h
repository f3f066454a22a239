// SPDX-License-Identifier: Apache-2.0
#pragma once

// A profile: plain data, between whoever measures (collect), whoever stores (profile/save, load)
// and whoever shows (render). Seconds are seconds of CPU or wall time, summed over threads and
// processes. The profile owns all that it points to; text is UTF-8.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/map.h"
#include "profile/async.h"
#include "profile/finding.h"
#include "profile/gpu.h"
#include "profile/memory.h"
#include "profile/trace.h"

// No source file has more lines: a larger number is not believed where all lines are listed.
#define PROFILE_LINE_MAX 1000000

#define PROFILE_WAITS(X) \
    X(gil)               \
    X(lock)              \
    X(sleep)             \
    X(disk)              \
    X(network)           \
    X(pipe)              \
    X(child)             \
    X(gpu)               \
    X(other)

enum profile_wait {

#define X(name) PROFILE_WAIT_##name,
    PROFILE_WAITS(X)
#undef X
        PROFILE_WAIT_COUNT
};

extern const char *const profile_wait_names[PROFILE_WAIT_COUNT];

// Where time went. CPU is python + native + system; idle is the part of T when nothing ran.
struct profile_times {
    double python_s;
    double native_s;
    double system_s;
    double idle_s;
    double wait_s[PROFILE_WAIT_COUNT];
    double variance_s2;     // of the CPU part, as the sampling leaves it
    double utilization_sum; // of core utilisation, one per sample
    double sample_count;
};

struct profile_line {
    int number;
    struct profile_times times;
    struct profile_memory memory;
    struct profile_async async;
    struct profile_gpu gpu;
    struct profile_leak leak;
    double *sample_times_s; // CLOCK_MONOTONIC, sorted when saved; at most 500
    size_t sample_time_count;
};

struct profile_function {
    char *name; // qualified
    int first_line;
    struct profile_times times;
    struct profile_memory memory;
    struct profile_async async;
    struct profile_gpu gpu;
};

struct profile_file {
    char *path;                 // absolute, or a name in angle brackets
    char *source;               // NULL: read from disk when saved
    struct profile_line *lines; // those that have data, in any order
    size_t line_count;
    size_t line_capacity;
    struct profile_function *functions;
    size_t function_count;
    size_t function_capacity;
    struct map line_index;       // number to index + 1: profile_line's own
    struct names function_index; // profile_function's own
};

struct profile_frame {
    bool is_native;
    char *name;      // qualified function name; empty when unknown
    char *file;      // path, or the module for a native frame
    int line;        // 0: none
    uint64_t ip;     // native only
    uint64_t offset; // native only: from the start of `name`
};

// Frames are indices into profile.frames, outermost first.
struct profile_stack {
    uint32_t *frames;
    size_t frame_count;
    uint64_t hits; // samples
    double python_s;
    double native_s;
    double system_s;
};

struct profile_memory_stack {
    uint32_t *frames;
    size_t frame_count;
    double allocated_mb;
};

struct profile_run {
    double t_s; // since the first sample
    uint32_t stack;
    uint32_t count;
    uint64_t thread_id;
};

struct profile_thread {
    int pid;
    uint64_t thread_id;
    char *name;
    double start_s; // since the root process started
    double end_s;
    struct profile_times times;
};

struct profile_ending {
    const char *how; // "exit", "signal", "running", "unknown"
    int status;
};

struct profile_process {
    int pid;
    int parent_pid;
    char **command;
    size_t command_count;
    char *python_version; // "3.12.1"; NULL when not Python
    double start_s;
    double end_s;
    struct profile_ending ended;
    double cpu_s;
    double peak_rss_mb;
    double peak_footprint_mb; // 0 when memory is not measured
    bool is_profiled;
    char *why_not; // NULL when profiled
};

struct profile_quality {
    uint64_t cpu_samples;
    uint64_t cpu_samples_lost;
    uint64_t cpu_samples_late;
    uint64_t memory_samples;
    uint64_t memory_samples_lost;
    double cpu_unattributed_s; // CPU time of no profiled line: start-up, exit, other files
    double interval_asked_s;
    double interval_reached_s;
    double own_cpu_in_program_s;
    double own_cpu_beside_s;
    double own_memory_mb;
    char **notes; // sentences
    size_t note_count;
    size_t note_capacity;
};

// Files with too little in them to be listed.
struct profile_rest {
    size_t file_count;
    double percent;
    double at_peak_mb;
};

struct profile {
    int format_version;   // 0: loaded from a profile that the original wrote
    char *program;        // absolute path, or "-c", "-", "-m module"
    char *program_dir;    // the root that decides which files are ours
    char *entrypoint_dir; // empty for -m
    char **args;          // as given to the program: sys.argv
    size_t arg_count;
    char **command; // the whole command line
    size_t command_count;
    char *python_version;
    char *python_executable;
    char *scalene_version; // that wrote a loaded profile; NULL, as the next: not known
    char *os;              // on which it was written
    char *kernel;
    char *machine;
    int cpu_count; // usable ones, of a loaded profile; 0: not known
    double elapsed_s;
    double start_time_absolute_s; // Unix time
    double start_time_perf_s;     // CLOCK_MONOTONIC
    uint64_t main_thread_id;
    bool has_virtual_time;        // waiting is left out
    double cpu_percent_threshold; // a file with less than this share of T is not listed
    struct profile_ending ended;

    struct profile_times totals;
    double ready_s;
    double cpu_kernel_says_s;
    bool has_memory;            // it was measured
    bool has_async;             // coroutines were followed
    double await_s;             // of all lines
    struct profile_task *tasks; // heaviest first, at most PROFILE_TASKS_MAX
    size_t task_count;
    size_t task_capacity;
    uint64_t tasks_unlisted;
    struct profile_footprint footprint;
    struct profile_gpus gpus;
    struct profile_operators operators; // of a trace that the program wrote
    struct profile_quality quality;
    struct finding_list findings;

    struct profile_file *files;
    size_t file_count;
    size_t file_capacity;
    struct names file_index;  // profile_file's own
    struct profile_rest rest; // of a loaded profile
    struct profile_frame *frames;
    size_t frame_count;
    size_t frame_capacity;
    struct profile_stack *stacks; // Python frames only: "stacks" of the format
    size_t stack_count;
    size_t stack_capacity;
    struct profile_stack *combined; // Python frames, then native ones
    size_t combined_count;
    size_t combined_capacity;
    struct profile_memory_stack *memory_stacks;
    size_t memory_stack_count;
    size_t memory_stack_capacity;
    double timeline_start_s;      // since the root process started
    struct profile_run *timeline; // indices into combined
    size_t timeline_count;
    size_t timeline_capacity;
    struct profile_thread *threads;
    size_t thread_count;
    size_t thread_capacity;
    struct profile_process *processes;
    size_t process_count;
    size_t process_capacity;
};

struct profile *profile_new(void);
void profile_free(struct profile *profile);

// Adding: each returns the element for these keys, made if it is new. A returned pointer holds
// until the next element of its kind is added.
struct profile_file *profile_file(struct profile *profile, const char *path);
struct profile_line *profile_line(struct profile_file *file, int number);
struct profile_function *profile_function(struct profile_file *file, const char *name,
                                          int first_line);
void profile_note(struct profile *profile, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

// What all lines of a file held at the peak, and the most that they are known to have held at once.
double profile_file_at_peak_mb(const struct profile_file *file);
double profile_file_held_mb(const struct profile_file *file);

void profile_times_add(struct profile_times *sum, const struct profile_times *part);
double profile_times_cpu_s(const struct profile_times *times);
double profile_times_wait_s(const struct profile_times *times);

// T, what every percentage is a percentage of: CPU plus idle time of the whole tree.
double profile_total_s(const struct profile *profile);
