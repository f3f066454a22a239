// SPDX-License-Identifier: Apache-2.0
#pragma once

// What coroutines waited for, as a profile tells it: docs/async.md.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PROFILE_TASK_NAMES_MAX 100u
#define PROFILE_TASKS_MAX      1000u

// Of a line, or of a function.
struct profile_async {
    double await_s;       // summed over tasks
    double occupied_s;    // in which at least one task waited, and ...
    double shared_s;      // ... the seconds of all that did: their quotient is how many at once
    double peak;          // the most at once
    double work_s;        // that threads worked for those that waited (executors)
    uint64_t block_count; // stretches in which it kept an event loop from everything else
    double block_s;
    double block_longest_s;
    bool is_coroutine;
    char **task_names; // sorted, each once
    size_t task_name_count;
};

double profile_async_mean(const struct profile_async *async);

// Adds what another line, or the same in another process, has. Names are copied.
void profile_async_add(struct profile_async *sum, const struct profile_async *part);
void profile_async_add_name(struct profile_async *async, const char *name);
void profile_async_clear(struct profile_async *async);

// One task, or coroutine that was driven like one.
struct profile_task {
    int pid;
    char *name; // NULL: it has none
    char *coroutine;
    char *file;
    int line;           // of the coroutine's definition
    char *creator_file; // where the task was made; NULL: not known
    int creator_line;
    double start_s;
    double cpu_s;
    double await_s;
    double longest_s; // that it kept others of its loop from running
    uint64_t step_count;
    bool has_ended;
};
