// SPDX-License-Identifier: Apache-2.0
#pragma once

// Folds what a process's records say about memory into the run's tallies: sampled allocations,
// what became of their blocks, the footprint, and copies.

#include "collect/fold.h"

// Each returns false when the record is malformed.
bool fold_allocation(struct fold *fold, struct process *process, const void *record, size_t len);
bool fold_block(struct fold *fold, struct process *process, const void *record, size_t len);
bool fold_footprint(struct fold *fold, struct process *process, const void *record, size_t len);
bool fold_copy(struct fold *fold, struct process *process, const void *record, size_t len);

// The process, or the program that it was, is no more: what it still held, it held to its end.
void fold_memory_end(struct fold *fold, struct process *process, double time_s);
