// SPDX-License-Identifier: Apache-2.0
#pragma once

// Environment variables, and the one that lists what the loader loads before all else: the agent.
// Context: any thread, signal handler, vfork child

#include <stdbool.h>

#define VARIABLE_PRELOAD "LD_PRELOAD"

// The value when `entry` ("NAME=value") sets `name`, else NULL.
const char *variable_value(const char *entry, const char *name);

// Whether `path` is one of the libraries that the loader is told to preload.
bool variable_lists(const char *preloaded, const char *path);

// Writes the libraries of `preloaded` other than `path`, in `size` bytes with the NUL; false when
// they do not fit.
bool variable_without(const char *preloaded, const char *path, char *out, unsigned long size);
