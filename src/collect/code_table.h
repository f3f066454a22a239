// SPDX-License-Identifier: Apache-2.0
#pragma once

// The code objects of a run. Processes send the same ones, and one process sends an object again
// when it has lost track of it: equal ones are kept once, as long as a process knows a number for
// it. A process knows its latest numbers: those that neither were sent nor met in a sample among
// the last hundred thousand or so are forgotten, so that a program that makes code for weeks stays
// within bounds.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/map.h"
#include "collect/line_table.h"
#include "wire/record.h"

struct code {
    char *path; // absolute where the process's directory makes it so
    char *name;
    int first_line;
    bool is_qualified;
    bool is_shim;      // the interpreter's own, around an __init__: no call of the program's
    bool is_ours;      // in a profiled file
    bool is_coroutine; // or an asynchronous generator
    uint64_t key;      // the same for the same path, name and first line
    struct line_table lines;
    uint64_t content; // the code_table's own
    size_t user_count;
    uint32_t place;
};

struct code_table;

struct code_table *code_table_new(void);
void code_table_free(struct code_table *table);

size_t code_table_count(const struct code_table *table);

// What a record is seen with.
struct code_view {
    int python_minor;
    const char *directory; // of the process; NULL when it is not known
    bool (*is_ours)(const void *context, const char *path);
    const void *context;
};

// One process's numbers. Zero-initialised with a table is empty.
struct code_set {
    struct code_table *table;
    struct map recent; // number to address of the code
    struct map older;
};

// Returns false when the record is malformed, or its number is taken.
bool code_set_take(struct code_set *set, const struct record_code *sent, size_t len,
                   const struct code_view *view);

// NULL when it was never sent. The code stays valid until the next code_set_take.
const struct code *code_set_get(struct code_set *set, uint32_t code_id);

void code_set_clear(struct code_set *set);
