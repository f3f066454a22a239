// SPDX-License-Identifier: Apache-2.0
#pragma once

// What folding a sample and folding a wait have in common: whose thread, which line.

#include "collect/fold.h"

// Whether one thread can have waited or computed so long by then.
bool fold_is_span(const struct fold *fold, uint64_t time_ns, uint64_t span_ns);

// The thread, which is first heard of now if nobody has told of it.
struct thread *fold_thread(struct fold *fold, struct process *process, int tid, double now_s);
bool fold_is_main_thread(const struct fold *fold, const struct process *process,
                         const struct thread *thread);

// The profiled line that frames lie on; TALLY_NONE: none.
uint32_t fold_spot(struct fold *fold, struct process *process, const struct thread *thread,
                   const struct record_frame *frames, size_t count);

// What accelerators did while a thread was on a line.
void fold_credit_gpu(struct fold *fold, const struct process *process, uint32_t spot,
                     double begin_s, double end_s);
