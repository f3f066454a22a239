// SPDX-License-Identifier: Apache-2.0
#pragma once

// The distinct stacks of a run, with their samples and which one each thread showed when, or with
// the bytes that were allocated there. Bounded: past 10,000 stacks the lightest make room for new
// ones and are counted, past 100,000 runs of the timeline every two neighbours become one, and
// frames of no stack any more are forgotten.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/watcher.h"
#include "collect/entry_points.h"
#include "collect/symbol.h"
#include "profile/profile.h"

struct stack_table;

struct stack_table *stack_table_new(void);
void stack_table_free(struct stack_table *table);

// A frame's number, good until the next stack_table_add. The texts are looked at when the frame is
// new only: `code_key` is the same for the same code.
uint32_t stack_table_python_frame(struct stack_table *table, uint64_t code_key, const char *file,
                                  const char *name, int line);

// Known by where its function starts; named when the profile is filled.
uint32_t stack_table_native_frame(struct stack_table *table, struct image *image, uint64_t function,
                                  uint64_t address, uint64_t ip);

struct stack_sample {
    const uint32_t *frames; // outermost first
    size_t python_count;
    size_t frame_count; // with native ones after the Python ones
    uint64_t weight;    // 1, or bytes
    uint32_t leaf;      // of the tally, which decides its helpers
    double python_s;
    double native_s;
    double helper_s; // Python or native: undecided yet
    double system_s;
    double time_s;
    uint64_t thread_id; // 0: not for the timeline
};

// Returns the key of its stack, never 0.
uint64_t stack_table_add(struct stack_table *table, const struct stack_sample *sample);

// Adds to the weight of a stack, if it is there still.
void stack_table_add_weight(struct stack_table *table, uint64_t key, uint64_t weight);

// Names the interpreter's functions by its own tables, for when its file has no symbols.
void stack_table_learn(const struct stack_table *table, struct symbol_cache *symbols,
                       struct image *interpreter, const struct entry_points *points);

// Told frame by frame while they are named, which may mean to read files; NULL: nobody.
void stack_table_watch(struct stack_table *table, const struct watcher *watcher);

// `helper_native` tells how a leaf's helpers were decided.
void stack_table_fill(struct stack_table *table, struct profile *profile,
                      struct symbol_cache *symbols,
                      double (*helper_native)(const void *context, uint32_t leaf),
                      const void *context);

// The stacks as those of allocated bytes, most first.
void stack_table_fill_memory(struct stack_table *table, struct profile *profile,
                             struct symbol_cache *symbols);
