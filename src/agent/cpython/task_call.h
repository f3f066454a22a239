// SPDX-License-Identifier: Apache-2.0
#pragma once

// What a loop is about to call: whether it is a step of one of asyncio's own tasks.
// Context: holds the GIL

#include <stdint.h>

// The task; 0: it is no step of one.
uintptr_t task_call_task(const void *callable);
