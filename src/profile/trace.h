// SPDX-License-Identifier: Apache-2.0
#pragma once

// Traces that the program's own libraries wrote (torch.profiler, jax.profiler, TensorFlow's), in
// Chrome's JSON, plain or gzipped: what each operator took on the processor and on the device, by
// the Python line that called it where the trace says so.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct profile;

// One operator, on one kind of device, called from one place.
struct profile_operator {
    char *name;
    bool is_device; // its kernels; else its own time on the processor
    char *file;     // NULL: the trace does not say
    int line;
    uint64_t count;
    double seconds;
};

#define PROFILE_OPERATORS_MAX 1000

struct profile_operators {
    struct profile_operator *list; // those that took most first
    size_t count;
    size_t capacity;
    uint64_t left_out;
};

// Adds a trace to the profile. A path that is a folder stands for the newest trace in it or below.
bool trace_add(struct profile *profile, const char *path, struct error *err);

void profile_operators_clear(struct profile_operators *operators);
