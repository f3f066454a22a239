// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the table of stacks keeps; shared by the one that adds (stack_table.c) and the one that
// makes lists of it (stack_table_fill.c).

#include "base/map.h"
#include "collect/stack_table.h"
#include "collect/timeline.h"

#define STACK_TABLE_MAX 10000u

struct frame {
    uint64_t key;
    bool is_native;
    uint32_t file; // index of names
    uint32_t name;
    int line;
    struct image *image;
    uint64_t function; // in the image's file; 0: unknown
    uint64_t address;
    uint64_t ip;
};

struct stack {
    uint64_t key;
    uint32_t *frames;
    size_t frame_count;
    size_t python_count;
    uint32_t leaf;
    uint64_t weight;
    double python_s;
    double native_s;
    double helper_s;
    double system_s;
};

struct stack_table {
    struct names names;
    struct map frame_index;
    struct frame *frames;
    size_t frame_count;
    size_t frame_capacity;
    struct map stack_index;
    struct stack *stacks;
    size_t stack_count;
    size_t stack_capacity;
    uint64_t evicted_count;
    struct timeline timeline;
    const struct watcher *watcher; // NULL: nobody waits
};
