// SPDX-License-Identifier: Apache-2.0
#pragma once

// Whether this is a vfork child. It runs in its parent's memory, thread-local data included, while
// the parent's thread stands still: nothing of the agent's state is the child's to change.
// Context: any thread, signal handler

#include <stdbool.h>

extern _Thread_local bool vfork_child_runs __attribute__((tls_model("initial-exec")));
