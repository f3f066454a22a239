// SPDX-License-Identifier: Apache-2.0
#pragma once

// Finds the word that was probably meant.

#include <stdbool.h>
#include <stddef.h>

// How many letters must be changed, added, left out or swapped with their neighbour.
size_t nearest_distance(const char *a, const char *b);

// Whether `meant` is near enough to `typed` to be proposed; *best is the least distance so far
// (start with SIZE_MAX) and shrinks.
bool nearest_improves(const char *typed, const char *meant, size_t *best);
