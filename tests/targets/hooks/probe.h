// SPDX-License-Identifier: Apache-2.0
#pragma once

// For programs that are run bare and with hooks: what they print must be the same. Under the test's
// own agent (tests/unit/agent/hook_agent.c) they also check what was measured; bare they cannot.

#include <stdbool.h>

// Prints the result of a call, and the name of errno if it is negative.
void show(const char *call, long result);

// For calls that return the error itself.
void show_status(const char *call, int status);

void show_text(const char *what, const char *text);

// Around a call that waits for 20 ms or more: prints a complaint if that was not measured as
// `kind`.
void expect_begin(void);
void expect_end(const char *call, const char *kind);

// Whether next to nothing was measured since; true bare.
bool expect_nothing(void);

// Returns once the thread waits for something, which may be one of another process.
void until_asleep(int thread);
int this_thread(void);

// Runs `action` in a thread, `delay_ms` after this one waits for something; later_join waits for
// it.
void later(int delay_ms, void (*action)(void *), void *argument);
void later_join(void);

struct timespec after_ms(int clock, int ms);

// Installs a handler that does nothing, without restarting calls, and sends the signal to this
// thread `delay_ms` after it waits for something.
void interrupt_after(int delay_ms);
