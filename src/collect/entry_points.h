// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which C functions of an interpreter Python code can call, found in its file alone, stripped or
// not: CPython keeps them in tables of names and addresses (methods, types, slots). A function that
// interpreted code reaches without a call (`list.__getitem__` is also what subscription runs) is no
// entry. Addresses are the file's, of where functions start.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/map.h"
#include "collect/image.h"

enum entry_role {
    ENTRY_ROLE_NONE,
    ENTRY_ROLE_ENTRY,      // does the work of a call to a C function or type
    ENTRY_ROLE_DEALLOC,    // frees an object
    ENTRY_ROLE_TRAMPOLINE, // calls a C function for the evaluation loop
};

// Zero-initialised is empty.
struct entry_points {
    struct map roles;    // address -> enum entry_role
    struct map excluded; // address -> 1
    struct map labels;   // address -> index in names, + 1
    struct names names;
    size_t type_count;
    size_t method_count;
};

// False when the file cannot be read; what is not understood is left out.
bool entry_points_scan(struct entry_points *points, struct image *image, int python_minor);

// The same, once per image, which keeps the result. NULL when the file cannot be read.
const struct entry_points *entry_points_of(struct image *image, int python_minor);

enum entry_role entry_points_role(const struct entry_points *points, uint64_t address);

// A constructor that interpreted code shares, or of an exception: never a call to a C function.
bool entry_points_is_excluded(const struct entry_points *points, uint64_t address);

// Such as "list.append" or "builtins.sorted"; NULL when no table names the function.
const char *entry_points_name(const struct entry_points *points, uint64_t address);

// For whoever scans. A role found first stays, except that a trampoline always is one. An excluded
// address may free objects, but is neither entry nor trampoline, whenever it was excluded.
void entry_points_add(struct entry_points *points, uint64_t address, enum entry_role role);
void entry_points_exclude(struct entry_points *points, uint64_t address);
void entry_points_label(struct entry_points *points, uint64_t address, const char *owner,
                        const char *name);

void entry_points_clear(struct entry_points *points);
