// SPDX-License-Identifier: Apache-2.0
#pragma once

// The processes of the run that have no ring: see wire/roll.h. Those that will never have one are
// followed from outside, as far as that goes, and listed with the reason; bounded.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wire/roll.h"

#define OUTSIDERS_LISTED 1024u

// One that the agent could not come into.
struct outsider {
    int pid;
    int parent_pid;
    uint32_t state; // why: enum roll_state
    int pidfd;      // -1: it has ended, or cannot be followed
    bool is_gone;
    int wait_status;
    bool has_wait_status;
    uint64_t start_ns;
    uint64_t end_ns;
    double cpu_s;   // as last seen
    char **command; // as its command line says, else the path of its file; may be empty
    size_t command_count;
    bool has_command_line;
};

struct roll_call {
    struct outsider *list;
    size_t count;
    size_t capacity;
    size_t unlisted_count;
    uint64_t swept_ns;
};

// Looks who is there. `now_ns` is CLOCK_MONOTONIC.
void roll_call_look(struct roll_call *call, struct roll *roll, uint64_t now_ns);

// How many of those that may yet make a ring are alive. The first `max` numbers go to `pids`.
size_t roll_call_expected(struct roll *roll, uint64_t now_ns, int *pids, size_t max);

void roll_call_clear(struct roll_call *call);
