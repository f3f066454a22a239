// SPDX-License-Identifier: Apache-2.0
#pragma once

// The program as a child process: started with what scalene itself was started with (signals,
// descriptors, directory, limits) plus two environment variables, and stood by until it ends.
//
// While it runs, scalene blocks signals and reads them. One that is sent to the whole process
// group, by the terminal or by anybody, reaches the program by itself; one that somebody sent to
// scalene alone is passed on. When the program is stopped from the terminal, scalene stops too, so
// that the shell sees it. If scalene is killed, the program goes on.

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/types.h>

#include "base/error.h"
#include "launch/witness.h"

struct control;

struct program_options {
    const char *path;        // what is executed
    char *const *argv;       // NULL-terminated
    const char *agent;       // library to preload
    const char *run_dir;     // given to the agent
    struct control *control; // told which process is the program; may be NULL
};

// When the program stood still: stopped from the terminal, or by SIGSTOP.
struct program_stop {
    uint64_t begin_ns; // CLOCK_MONOTONIC
    uint64_t end_ns;
};

#define PROGRAM_STOP_MAX 8u

struct program {
    pid_t pid;
    int signal_fd;
    sigset_t start_mask;
    struct witness witness;
    bool ignored_child_signal;                   // scalene was started with SIGCHLD ignored
    uint64_t start_ns;                           // CLOCK_MONOTONIC
    uint64_t stopped_ns;                         // since when it is stopped; 0: it is not
    struct program_stop stops[PROGRAM_STOP_MAX]; // not taken yet
    size_t stop_count;
    bool has_ended; // the fields below are set
    uint64_t end_ns;
    int wait_status;
    struct rusage usage;
    double cpu_s; // of the program alone, once it has ended; 0 when not known
};

__attribute__((warn_unused_result)) bool
program_start(struct program *program, const struct program_options *options, struct error *err);

// Stands by for `timeout_ms` at most, or until the program ends. Returns has_ended.
bool program_wait(struct program *program, int timeout_ms);

// The oldest stop that is over and was not taken yet; false when there is none.
bool program_take_stop(struct program *program, struct program_stop *stop);

// Whether it stands still, as far as is known: false once program_take_stop has that stop.
bool program_is_stopped(const struct program *program);

// After the program's end: stands by for `timeout_ms` at most. Returns whether somebody asked
// scalene itself to leave: Ctrl-C, a closed terminal, SIGTERM.
bool program_is_left(const struct program *program, int timeout_ms);

// Ends scalene as the program ended: with its status, or by the same signal (without a core file).
_Noreturn void program_end_alike(struct program *program);

// Becomes the program, unprofiled. Returns only when that fails.
__attribute__((warn_unused_result)) bool program_become(const char *path, char *const *argv,
                                                        struct error *err);
