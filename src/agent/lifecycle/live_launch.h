// SPDX-License-Identifier: Apache-2.0
#pragma once

// Starts the collector beside a program that runs already, which is not to notice: no child that
// wait() finds, no SIGCHLD, none of its descriptors kept open, none of its signals inherited.
// Context: any thread, not a signal handler

#include <stdbool.h>
#include <stddef.h>

// Starts `arguments` and reads what it says until it closes its output, at most `size` - 1 bytes.
// Returns 0, or the error number that kept it from starting.
int live_launch(char *const arguments[], char *const environment[], char *reply, size_t size);

// Takes the collector away once it has ended, where it has become our own child, as all orphans do
// in a container's first process and in a subreaper. True: it is, and has not ended yet.
bool live_launch_reap(int pid);
