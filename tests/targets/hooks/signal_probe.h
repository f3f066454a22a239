// SPDX-License-Identifier: Apache-2.0
#pragma once

// What programs that try the agent's own signal have in common.

#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>

#define NUMBER 61

// Calls of the two handlers since show_calls, and what came with them.
extern atomic_int call_count;
extern int codes[20];
extern int values[20];

void note(int number, siginfo_t *info, void *context);
void note_plain(int number);
void show_calls(const char *what);

// Enough CPU time for the test's agent to send its own signal some times.
void burn(void);

bool is_blocked(void);
bool is_pending(void);
void show_mask(const char *what);
void show_action(const char *what);

// The handler, with all signals blocked in it or none.
void set_action(void (*handler)(int, siginfo_t *, void *), int flags, bool is_full);

// Of this signal, or of all.
void change_mask(int how, bool is_full);

void queue(int value);
