// SPDX-License-Identifier: Apache-2.0
#pragma once

// What `scalene run` tells every process of its tree: a few pages in the run's directory, mapped by
// all of them. The run's directory also holds the rings, named PID.N: N counts the programs that
// process has been (exec). The variable that names the
// directory and LD_PRELOAD are all that a child needs to join.

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "wire/roll.h"

#define CONTROL_FILE         "control"
#define CONTROL_ANSWER_FILE  "answer"
#define CONTROL_PACKAGE      "package"             // a link to where the Python package is
#define CONTROL_MAGIC        0x6c72746e6f636373ull // "sccontrl"
#define CONTROL_VERSION      5
#define CONTROL_SIZE         (20u * 4096)
#define CONTROL_DIR_VARIABLE "SCALENE_RUN_DIR"
#define CONTROL_NAMESPACE    "/proc/self/ns/pid" // a link whose text names it
#define NAMESPACE_NAME_MAX   32

enum control_flag {
    CONTROL_STACKS = 1, // copy native stacks
    CONTROL_WAITS = 2,  // record waits
    CONTROL_MEMORY = 4, // follow allocations and copies
    CONTROL_ALONE = 8,  // profile the process `root_pid` only, none that it starts
    CONTROL_ASYNC = 16, // follow coroutines
};

// How far a run is that was begun inside a running program (docs/live.md). The two sides take
// turns: the program asks for the end, the collector answers, the program has read the answer.
enum control_stage {
    CONTROL_RUNS,
    CONTROL_IS_TO_END, // by the program: nothing more will come of it
    CONTROL_IS_SAVED,  // by the collector: the file CONTROL_ANSWER_FILE says where, or what went
                       // wrong
    CONTROL_IS_OVER,   // by the program: the directory can go
};

struct control {
    uint64_t magic;
    uint32_t version;
    uint32_t flags;           // enum control_flag
    _Atomic uint32_t is_on;   // sampling; changed by control_switch
    _Atomic int32_t root_pid; // the program; 0: not started yet
    int32_t owner_pid;        // the process that collects
    _Atomic uint32_t stage;   // enum control_stage; stays CONTROL_RUNS under `scalene run`
    uint64_t period_ns;       // of CPU time between two samples of a thread
    uint64_t ring_bytes;
    uint64_t allocation_mean;      // bytes between two points of allocation; 0: chosen by the agent
    _Atomic uint64_t off_since_ns; // CLOCK_MONOTONIC; 0: it is on
    _Atomic uint64_t off_ns;       // before that
    char pid_namespace[NAMESPACE_NAME_MAX]; // in which all numbers here are meant; "": not known
    struct roll roll;
};

_Static_assert(sizeof(struct control) <= CONTROL_SIZE, "it is mapped whole");

// Maps the run's page; NULL when there is none or it is of another version.
struct control *control_open(const char *run_dir);
void control_close(struct control *control);

// Turns sampling on or off in all processes at once; false when it was so already.
bool control_switch(struct control *control, bool is_on, uint64_t now_ns);

// How long sampling has been off in all.
uint64_t control_off_ns(const struct control *control, uint64_t now_ns);
