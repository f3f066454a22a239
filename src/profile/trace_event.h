// SPDX-License-Identifier: Apache-2.0
#pragma once

// The events of a trace that tell of work, told apart by what they are.

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

enum trace_kind {
    TRACE_OTHER,
    TRACE_OPERATOR, // of a library, on the processor
    TRACE_KERNEL,   // on a device
    TRACE_PYTHON,   // a Python function
};

struct trace_event {
    enum trace_kind kind;
    const char *name; // the document's
    const json_t *args;
    uint64_t thread; // the same for the same thread of the same process
    double begin_us;
    double length_us;
    int64_t link; // joins kernels to their operator; 0: none
};

struct trace_events {
    struct trace_event *list; // by thread and time, outer ones first
    size_t count;
    size_t capacity;
};

// `root` is the whole document and must stay.
void trace_events_read(struct trace_events *events, const json_t *root);
void trace_events_clear(struct trace_events *events);
