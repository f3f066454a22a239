// SPDX-License-Identifier: Apache-2.0
#pragma once

// Where the system's files about devices and processes lie. The variable SCALENE_ACCELERATOR_ROOT
// puts a folder before all of them, with a `proc`, a `sys`, a `lib` and a `bin` of its own: that is
// how tests have devices.

#include <stdbool.h>
#include <stddef.h>

#define TREE_ROOT_VARIABLE "SCALENE_ACCELERATOR_ROOT"
#define TREE_PATH_MAX      1024

// The folder; empty: the system's own.
const char *tree_root(void);

// A path below it; false when it is too long.
bool tree_path(char path[TREE_PATH_MAX], const char *format, ...)
    __attribute__((format(printf, 2, 3)));

// The beginning of a file as text. Returns its length, 0 when it cannot be read: errno says why.
size_t tree_read(const char *path, char *text, size_t size);

// The number that a file consists of; false when it cannot be had now (errno).
bool tree_read_number(const char *path, unsigned long long *number);
