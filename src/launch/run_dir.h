// SPDX-License-Identifier: Apache-2.0
#pragma once

// The private directory (0700) through which a run's processes reach the collector: the control
// page and the rings. It lies in /dev/shm, else $TMPDIR, else /tmp: the first one where a ring
// fits into a sixteenth of what is free. It is removed with all that is in it, and locked while the
// run lasts, so that a later run can tell and remove what a killed one left behind.

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

struct control;

struct run_dir_options {
    bool is_on; // sampling from the start
    bool has_stacks;
    bool has_waits;
    bool has_memory;
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

// Makes `name` in the directory point to `target`; writes the full path.
__attribute__((warn_unused_result)) bool run_dir_link(const struct run_dir *dir, const char *name,
                                                      const char *target, char path[PATH_MAX]);

// Removes it. Symbolic links are removed, never followed.
void run_dir_close(struct run_dir *dir);

// Removes run directories in `place` that are ours, a day old and of no living run.
void run_dir_sweep(const char *place);
