// SPDX-License-Identifier: Apache-2.0
#pragma once

// Folds what a process's coroutines waited for into the run's tallies.

#include "collect/fold.h"
#include "wire/control.h"

// Each returns false when the record is malformed.
bool fold_chain(struct fold *fold, struct process *process, const void *record, size_t len);
bool fold_await_name(struct fold *fold, struct process *process, const void *record, size_t len);
bool fold_loop_block(struct fold *fold, struct process *process, const void *record, size_t len);

// Looks at the sums while the process runs, for the timeline.
void fold_async_look(struct fold *fold, struct process *process, uint64_t now_ns, uint64_t off_ns);

// What the process's table says as of that moment: for good when it has ended, else for the next
// filling only.
void fold_async_settle(struct fold *fold, struct process *process, uint64_t at_ns, uint64_t off_ns,
                       bool is_final);

// The tasks and their stacks, once the lines are in the profile.
void fold_async_fill(struct fold *fold, struct profile *profile);
