// SPDX-License-Identifier: Apache-2.0
#pragma once

// The timers that the agent has made, of all threads: whoever ends a session takes them all away,
// while the threads that they belong to go on. A timer is removed once, by whoever comes first.
// Context: any thread, signal handler

#include <stdbool.h>
#include <time.h>

#include "agent/syscall.h"

// Makes a timer whose signal goes to the thread `tid` and carries `cookie`.
bool timer_list_make(struct raw_timer *timer, clockid_t clock, int tid, void *cookie);

void timer_list_remove(struct raw_timer timer);
void timer_list_remove_all(void);

// In the child of a fork there are none.
void timer_list_forked(void);
