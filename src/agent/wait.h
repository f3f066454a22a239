// SPDX-License-Identifier: Apache-2.0
#pragma once

// Blocking calls: what a hook does before and after the original. A wait is the call's wall time
// less the thread's own CPU time in it. A wait of a millisecond or more is recorded as it is; of
// shorter ones every so many milliseconds one is recorded for all. Both ends also steer the CPU
// sampler, so that no signal of ours ever reaches a blocked call.
// Context: any thread, also inside a signal handler of the program's. errno is kept.

#include <stdbool.h>
#include <stdint.h>

#include "wire/record.h"

struct wait_scope {
    const void *caller;    // who called the hooked function
    uint64_t begin_ns;     // 0: not measured
    uint64_t cpu_begin_ns; // 0: not read
    uint32_t switches;     // of the thread's own accord until then, if the CPU clock was read
};

// False in a process that is not profiled, and in a vfork child: call through.
bool wait_is_measured(void);

// `may_work_long`: the kernel may compute in this call, so the CPU clock is read as well.
void wait_begin_for(struct wait_scope *scope, bool may_work_long);

// In the hook itself: where its caller goes on tells whose wait it is.
static inline __attribute__((always_inline)) void wait_begin(struct wait_scope *scope,
                                                             bool may_work_long)
{
    scope->caller = __builtin_return_address(0);
    wait_begin_for(scope, may_work_long);
}

void wait_end(const struct wait_scope *scope, enum wait_kind kind);

// The kind is asked of the descriptor, only if the wait counts.
void wait_end_fd(const struct wait_scope *scope, int fd);

// On a condition variable, semaphore or mutex: the interpreter's own one is the GIL.
void wait_end_lock(const struct wait_scope *scope, const void *lock);

void wait_end_lazily(const struct wait_scope *scope, enum wait_kind (*kind_of)(const void *),
                     const void *argument);
