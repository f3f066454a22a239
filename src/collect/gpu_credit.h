// SPDX-License-Identifier: Apache-2.0
#pragma once

// Brings together where threads were and what the accelerators did meanwhile. Samples and waits
// tell the first, readings the second, and either may come first: a stretch of time on a line waits
// here until the readings have caught up with it. Zero-initialised is empty.

#include <stddef.h>
#include <stdint.h>

#include "collect/gpu_curve.h"
#include "collect/tally.h"

struct gpu_stretch {
    int pid;
    uint32_t spot;
    double begin_s;
    double end_s;
};

struct gpu_process {
    int pid; // 0: free
    struct gpu_curve curve;
};

struct gpu_credit {
    struct gpu_process *processes;
    size_t count;
    size_t capacity;
    struct gpu_stretch *waiting;
    size_t waiting_count;
    size_t waiting_capacity;
};

// A reading of what a process does; one that has readings has its stretches kept from then on.
void gpu_credit_read(struct gpu_credit *credit, int pid, const struct gpu_point *reading);

// A thread of the process was on that line for that time.
void gpu_credit_add(struct gpu_credit *credit, struct tally *tally,
                    const struct gpu_stretch *stretch);

// After readings: what they have caught up with goes to its line.
void gpu_credit_settle(struct gpu_credit *credit, struct tally *tally);

// The process has ended: what readings there are must do, and are then forgotten.
void gpu_credit_end(struct gpu_credit *credit, struct tally *tally, int pid);

void gpu_credit_clear(struct gpu_credit *credit);
