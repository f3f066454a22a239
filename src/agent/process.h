// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the collector must know of this process as a whole: who it is, which files are mapped, what
// it used in all.

#include <stdbool.h>

#include "wire/ring.h"

// Who it is: the first record of a ring. Context: any thread, signal handler.
void process_introduce(struct ring *ring);

// Which files are mapped. Context: not in a signal handler (the loader's lock).
void process_send_modules(void);

// The process ends, with this status. What it used in all
// is written, again if it is called again. Does nothing in a vfork child.
// Context: any thread, any moment but a signal handler of ours.
void process_end(int status);

// The same around an exec, which may fail: nothing is torn down. In between this thread records
// nothing: a sample would tell that the process has gone on, and make a ring where there was none.
// The first returns what the second is given. Neither does anything in a vfork child.
bool process_begin_exec(void);
void process_exec_failed(bool was_busy);
