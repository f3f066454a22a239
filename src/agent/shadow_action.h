// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the program has told sigaction to do with the hidden signal. One value, which many threads
// and handlers may read and write without a lock.
// Context: any thread, signal handler

#include <signal.h>

struct sigaction shadow_action_get(void);
void shadow_action_set(const struct sigaction *action);
