// SPDX-License-Identifier: Apache-2.0
#pragma once

// The private directory (0700) through which a run's processes reach the collector: the control
// page and the rings. It lies in /dev/shm, else $TMPDIR, else /tmp: the first one where a ring
// fits into a sixteenth of what is free. It is removed with all that is in it, and locked while the
// run lasts, so that a later run can tell what a killed one left behind (leftover.h).

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

#define RUN_DIR_PREFIX      "scalene-"
#define RUN_DIR_TEMPLATE    RUN_DIR_PREFIX "XXXXXX"
#define RUN_DIR_CHECKPOINT  "checkpoint.gz" // the profile as of some seconds ago
#define RUN_DIR_OUTFILE     "outfile"       // a link to where the profile is to go
#define RUN_DIR_PLACE_COUNT 3

struct control;

struct run_dir_options {
    bool is_on; // sampling from the start
    bool has_stacks;
    bool has_waits;
    bool has_memory;
    bool has_async;
    bool is_alone; // children are not profiled
    uint64_t period_ns;
    uint64_t allocation_mean; // bytes; 0: as the agent chooses
};

struct run_dir {
    char path[PATH_MAX];
    int fd; // holds the lock
    struct control *control;
};

__attribute__((warn_unused_result)) bool
run_dir_open(struct run_dir *dir, const struct run_dir_options *options, struct error *err);

// The same, in the first of `places` (NULL-terminated) that serves.
__attribute__((warn_unused_result)) bool run_dir_open_in(struct run_dir *dir,
                                                         const char *const *places,
                                                         const struct run_dir_options *options,
                                                         struct error *err);

// Where run directories are, in the order in which they are tried, each folder once whatever it is
// called; NULL-terminated.
void run_dir_places(const char *places[RUN_DIR_PLACE_COUNT + 1]);

enum run_dir_state {
    RUN_DIR_NONE,  // no run directory, or somebody else's
    RUN_DIR_LIVES, // of a run that goes on: it may be looked at, and left
    RUN_DIR_OVER,  // of a run that was killed: it is locked now, and may be closed
};

// One that another process made.
enum run_dir_state run_dir_reopen(struct run_dir *dir, const char *path);

// Whether a name in one of the places is that of a run directory.
bool run_dir_is_name(const char *name);

// Makes `name` in the directory point to `target`; writes the full path.
bool run_dir_link(const struct run_dir *dir, const char *name, const char *target,
                  char path[PATH_MAX]);

// Removes it. Symbolic links are removed, never followed.
void run_dir_close(struct run_dir *dir);

// Lets it go without removing anything.
void run_dir_leave(struct run_dir *dir);
