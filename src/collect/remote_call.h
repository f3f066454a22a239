// SPDX-License-Identifier: Apache-2.0
#pragma once

// What a thread of another process is blocked in, as the kernel tells it, and which kind of wait
// that is: the same kinds for the same calls as the agent's hooks give.

#include "collect/remote_stack.h"

enum remote_call {
    REMOTE_CALL_BLOCKED,
    REMOTE_CALL_RUNNING, // or gone
    REMOTE_CALL_REFUSED, // the kernel does not let us look
};

// `*kind` is set for a thread that is blocked.
enum remote_call remote_call_look(struct remote_memory *memory,
                                  const struct remote_interpreter *interpreter, int tid,
                                  enum wait_kind *kind);
