// SPDX-License-Identifier: Apache-2.0
#pragma once

// This process's part in the run: its ring, and the run's control page. A process without one is
// inert: every hook calls through.
// Context: any thread, signal handler, unless said otherwise

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "wire/control.h"
#include "wire/ring.h"

#define SESSION_PATH_MAX 256

struct session {
    atomic_bool is_active; // samples are taken and waits measured
    bool has_stacks;
    bool has_waits;
    bool has_memory;
    bool is_forked;
    int pid;
    unsigned program_number; // how many programs this process has been before, by exec
    uint64_t period_ns;
    uint64_t generation;     // grows with each fork, so that what the ring knew is sent again
    uint64_t foreign_cpu_ns; // CPU time of earlier programs of this process
    struct control *control;
    char run_dir[SESSION_PATH_MAX];
};

extern struct session session;

// Joins the run in `run_dir`; false leaves the process inert. Context: constructor.
bool session_start(const char *run_dir);

// In the child of a fork: the parent's ring is let go, one of our own is made at the first record.
// Context: fork child, before anything else of the agent runs.
void session_forked(void);

// The ring, made now if this process has none yet; NULL when it could not be had.
struct ring *session_ring(void);

// Whether this process has written anything yet.
bool session_has_ring(void);

bool session_is_on(void);
void session_count(enum ring_counter counter, uint64_t amount);
