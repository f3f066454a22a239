// SPDX-License-Identifier: Apache-2.0
#pragma once

// Tells a process's search for leaks what becomes of its blocks. What happens while the interpreter
// ends is no evidence: everything is freed then, or nothing.

#include "collect/fold.h"

void fold_leak_made(struct fold *fold, struct process *process, const struct block *block);

// `block` is what `known` has become, and gets its span from it.
void fold_leak_grown(struct fold *fold, struct process *process, const struct block *known,
                     struct block *block);

// The program has freed it.
void fold_leak_freed(struct fold *fold, struct process *process, const struct block *block,
                     double time_s);

// It stands for another weight, 0 if it is followed no longer.
void fold_leak_reweighed(struct fold *fold, struct process *process, const struct block *block,
                         uint64_t weight, double time_s);

void fold_leak_footprint(struct fold *fold, struct process *process, double bytes, double time_s);

// The process is over: judges it, and notes in the memory tally what leaked.
void fold_leak_end(struct fold *fold, struct process *process, double time_s);

// Adds what leaks in a process that goes on to a profile that is filled.
void fold_leak_fill(struct fold *fold, struct process *process, double time_s,
                    struct profile *profile);
