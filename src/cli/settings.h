// SPDX-License-Identifier: Apache-2.0
#pragma once

// What `scalene run` was asked to do: defaults, then a configuration file (the one that was named,
// else the project's own), then the command line.

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/text.h"
#include "cli/option.h"

struct settings {
    bool wants_help;
    bool wants_advanced_help;
    bool shows_progress;
    bool ignores_project; // its configuration file
    char *config;
    char *outfile;
    char *python;

    bool is_cpu_only;
    bool has_gpu;
    bool has_memory;
    bool has_stacks;
    bool has_async;
    bool asks_for_async; // on the command line
    bool has_leak_detector;
    bool has_virtual_time;
    bool is_on;
    bool is_jit_disabled;

    bool profiles_all;
    bool profiles_system_libraries;
    bool profiles_children;
    bool waits_for_children; // that outlive the program
    char *profile_only;      // comma list
    char *profile_exclude;   // comma list
    char *program_path;
    char *trace;        // that the program writes: a file, or a folder
    bool imports_trace; // from the current directory

    double profile_interval_s; // infinity: only at the end
    double cpu_sampling_s;
    double cpu_percent_threshold;
    uint64_t allocation_window_bytes; // 0: as the agent chooses
    uint64_t malloc_threshold;
};

extern const struct option_table settings_options;

// Whose fault it is decides the exit status.
enum settings_result {
    SETTINGS_OK,
    SETTINGS_MISUSED,    // the command line
    SETTINGS_BAD_CONFIG, // the file
};

// *used is how many words were options. What the user should know goes to `notices`, one sentence a
// line: keys that are not known, and which file of the project's was read.
enum settings_result settings_read(struct settings *settings, int count, char **words, int *used,
                                   struct text *notices, struct error *err);

// Everything is profiled unless some of it is asked for.
bool settings_has_memory(const struct settings *settings);
bool settings_has_gpu(const struct settings *settings);

// CPU time only means no more than that, unless one asks for both.
bool settings_has_async(const struct settings *settings);

void settings_clear(struct settings *settings);
