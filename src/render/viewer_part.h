// SPDX-License-Identifier: Apache-2.0
#pragma once

// The parts of the viewer form, each in its own file; viewer_form.c puts them together. Keys are
// written in the order of the alphabet, so `strings` comes after all that adds to it.

#include "base/map.h"
#include "profile/profile.h"
#include "profile/writer.h"

struct viewer {
    const struct profile *profile;
    struct writer *writer;
    struct names strings;
    size_t *files;      // the profile's indices in the form's order
    struct map threads; // by their number for Python, to the index plus 1
    struct map nodes;   // parent and frame to the stack's index, plus 1
    uint32_t *parents;
    uint32_t *node_frames;
    size_t node_count;
    size_t node_capacity;
    uint32_t *leaves;        // of profile->combined
    uint32_t *memory_leaves; // of profile->memory_stacks
};

uint32_t viewer_string(struct viewer *viewer, const char *text);
// A value in a list; without decimals a whole number.
void viewer_number(struct viewer *viewer, double value, int decimals);
void viewer_real(struct viewer *viewer, const char *key, double value, int decimals);
void viewer_integer(struct viewer *viewer, const char *key, int64_t value);
void viewer_text(struct viewer *viewer, const char *key, const char *text);
void viewer_bool(struct viewer *viewer, const char *key, bool value);
void viewer_ending(struct viewer *viewer, const struct profile_ending *ended);
void viewer_waits(struct viewer *viewer, const struct profile_times *times);

// A column made by a function of the row's number.
void viewer_column(struct viewer *viewer, const char *key, size_t count, int decimals,
                   double (*value)(void *context, size_t row), void *context);

// "files", "functions", "lines", "series": what has data.
void viewer_write_files(struct viewer *viewer);
void viewer_write_functions(struct viewer *viewer);
void viewer_write_lines(struct viewer *viewer);
void viewer_write_series(struct viewer *viewer);

// "frames", "memory_stacks", "samples", "stack_times", "stacks". Numbers the stacks first.
void viewer_number_stacks(struct viewer *viewer);
void viewer_write_frames(struct viewer *viewer);
void viewer_write_memory_stacks(struct viewer *viewer);
void viewer_write_samples(struct viewer *viewer);
void viewer_write_stack_times(struct viewer *viewer);
void viewer_write_stacks(struct viewer *viewer);

// "tasks", and how many there were besides: of a run that followed coroutines.
void viewer_write_tasks(struct viewer *viewer);

// "gpu_devices": what the program used, over time.
void viewer_write_gpu_devices(struct viewer *viewer);

// "operators", and how many there were besides: of a run whose program wrote a trace.
void viewer_write_operators(struct viewer *viewer);

// "processes", "threads".
void viewer_write_processes(struct viewer *viewer);
void viewer_write_threads(struct viewer *viewer);
