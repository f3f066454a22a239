// SPDX-License-Identifier: Apache-2.0
#pragma once

// What `scalene run` tells every process of its tree: one page in the run's directory, mapped by
// all of them. The run's directory also holds the rings, named PID.N: N counts the programs that
// process has been (exec). The two environment variables are all that a child needs to join.

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define CONTROL_FILE         "control"
#define CONTROL_MAGIC        0x6c72746e6f636373ull // "sccontrl"
#define CONTROL_VERSION      2
#define CONTROL_SIZE         4096u
#define CONTROL_DIR_VARIABLE "SCALENE_RUN_DIR"

enum control_flag {
    CONTROL_STACKS = 1, // copy native stacks
    CONTROL_WAITS = 2,  // record waits
    CONTROL_MEMORY = 4, // follow allocations and copies
};

// Why a process of the tree could not be profiled; the collector turns these into sentences.
#define CONTROL_REFUSALS(X)                             \
    X(no_room)  /* the ring's space could not be had */ \
    X(no_timer) /* timer_create was refused */          \
    X(no_interpreter_table)

enum control_refusal {

#define X(name) REFUSAL_##name,
    CONTROL_REFUSALS(X)
#undef X
        CONTROL_REFUSAL_COUNT
};

struct control {
    uint64_t magic;
    uint32_t version;
    uint32_t flags;         // enum control_flag
    _Atomic uint32_t is_on; // sampling
    uint32_t reserved;
    uint64_t period_ns; // of CPU time between two samples of a thread
    uint64_t ring_bytes;
    uint64_t allocation_mean; // bytes between two points of allocation; 0: chosen by the agent
    _Atomic uint64_t refusals[CONTROL_REFUSAL_COUNT];
};

// Maps the run's page; NULL when there is none or it is of another version.
struct control *control_open(const char *run_dir);
void control_close(struct control *control);
