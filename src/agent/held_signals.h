// SPDX-License-Identifier: Apache-2.0
#pragma once

// Signals of the hidden number that came for the program while it blocked them: what the kernel's
// pending set would be. Neither locks nor allocates; when it is full a signal is lost, as it is
// when the kernel's own queue is full. Context: any thread, signal handler

#include <signal.h>
#include <stdbool.h>

// `tid` 0: for whichever thread takes it.
void held_signals_add(const siginfo_t *info, int tid);

// The next one that thread `tid` may have. `info` may be NULL.
bool held_signals_take(int tid, siginfo_t *info);

bool held_signals_has(int tid);

void held_signals_clear(void);
