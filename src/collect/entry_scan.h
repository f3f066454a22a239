// SPDX-License-Identifier: Apache-2.0
#pragma once

// Finds CPython's tables in an interpreter's data by their shape, and tells entry_points what is in
// them. The layouts used here have been the same from 3.8 to 3.15 in builds with the GIL.

#include <stddef.h>
#include <stdint.h>

#include "collect/entry_points.h"
#include "collect/function_table.h"
#include "collect/loaded_data.h"

struct entry_scan {
    struct entry_points *points;
    const struct loaded_data *data;
    const struct function_table *functions;
    int python_minor;
    uint64_t *types; // addresses
    size_t type_count;
    size_t type_capacity;
    struct map known_types; // address -> 1
    uint64_t *named;        // where the data has a pointer to something like a name
    size_t named_count;
    size_t named_capacity;
};

// A type known by its exported name, which also tells what is special about some.
void entry_scan_add_type(struct entry_scan *scan, uint64_t address, const char *symbol);

void entry_scan_run(struct entry_scan *scan);

void entry_scan_clear(struct entry_scan *scan);
