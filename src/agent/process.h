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

// The process ends, or becomes another program. Does nothing in a vfork child.
// Context: any thread, any moment but a signal handler of ours.
void process_end(bool is_exec);
