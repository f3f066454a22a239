// SPDX-License-Identifier: Apache-2.0
#pragma once

// The program as a child process: started with what scalene itself was started with (signals,
// descriptors, directory, limits) plus two environment variables, and stood by until it ends.
//
// While it runs, scalene blocks signals and reads them. One that the terminal sends to the
// foreground group reaches the program by itself; one that somebody sent to scalene alone is passed
// on. When the program is stopped from the terminal, scalene stops too, so that the shell sees it.
// If scalene is killed, the program goes on.

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/types.h>

#include "base/error.h"

struct program_options {
    const char *path;    // what is executed
    char *const *argv;   // NULL-terminated
    const char *agent;   // library to preload
    const char *run_dir; // given to the agent
};

struct program {
    pid_t pid;
    int signal_fd;
    sigset_t start_mask;
    bool ignored_child_signal; // scalene was started with SIGCHLD ignored
    uint64_t start_ns;         // CLOCK_MONOTONIC
    bool has_ended;            // the fields below are set
    uint64_t end_ns;
    int wait_status;
    struct rusage usage;
    double cpu_s; // of the program alone, once it has ended; 0 when not known
};

__attribute__((warn_unused_result)) bool
program_start(struct program *program, const struct program_options *options, struct error *err);

// Stands by for `timeout_ms` at most, or until the program ends. Returns has_ended.
bool program_wait(struct program *program, int timeout_ms);

// Ends scalene as the program ended: with its status, or by the same signal (without a core file).
_Noreturn void program_end_alike(const struct program *program);

// Becomes the program, unprofiled. Returns only when that fails.
__attribute__((warn_unused_result)) bool program_become(const char *path, char *const *argv,
                                                        struct error *err);
