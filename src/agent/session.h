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
    bool has_async;
    bool is_forked;
    bool is_live;      // begun while the program ran already
    bool is_elsewhere; // in another PID namespace than the collector, which knows it by no number
    int pid;
    int origin_pid;          // of a forked one: the last of its forebears that has a ring
    unsigned program_number; // how many programs this process has been before, by exec
    uint64_t period_ns;
    uint64_t generation;     // grows with each ring, so that what another one knew is sent again
    uint64_t foreign_cpu_ns; // CPU time of this process before it joined the run
    uint64_t foreign_user_us;
    uint64_t foreign_system_us;
    struct control *control; // NULL: there is no run
    const char *agent;       // the library's path, as the loader was told it
    char run_dir[SESSION_PATH_MAX];
};

extern struct session session;

// Joins the run in `run_dir`; false leaves the process inert. Context: constructor.
bool session_start(const char *run_dir);

// The same in a program that runs already, and maybe was in another run before. Context: no session
// is active.
bool session_start_live(const char *run_dir);

// After the last record of such a session, once the collector has read it: lets the ring and the
// control page go. Another thread may still be about to write: its place stays mapped, to nothing,
// until the next session is over. Context: no session is active.
void session_bury(void);

// Around a fork: the collector is told that a child is about to be. Keeps errno for the program.
// Context: the thread that forks, in its parent.
void session_before_fork(void);
void session_after_fork(void);

// In the child of a fork: the parent's ring is let go, one of our own is made at the first record.
// Context: fork child, before anything else of the agent runs.
void session_forked(void);

// Whether this process is to be profiled: with --no-profile-children only the program itself is,
// and none that is elsewhere.
bool session_takes_part(void);

// Whether the calling process is in another PID namespace than the collector, and its number as the
// collector knows it, as far as /proc tells; the own one else. Context: also vfork child
bool session_is_elsewhere(void);
int session_outer_pid(void);

// The number of the program that the calling process is about to become. Context: also vfork child
unsigned session_next_number(void);

// Nothing of this process is recorded any more.
void session_retire(void);

// The ring, made now if this process has none yet; NULL when it could not be had.
struct ring *session_ring(void);

// Whether this process has written anything yet.
bool session_has_ring(void);

bool session_is_on(void);
void session_count(enum ring_counter counter, uint64_t amount);
