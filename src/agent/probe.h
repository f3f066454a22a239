// SPDX-License-Identifier: Apache-2.0
#pragma once

// Reads of memory that may not be there. A sampled thread can be anywhere, also between two stores
// that only together make sense: every pointer found there is asked of the kernel before it is
// followed. No handler for SIGSEGV is needed, which would be the program's.
// Context: any thread, signal handler

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PROBE_PAGES 16

// The pages found readable in the course of one walk. Zero-initialised is empty.
struct probe {
    uintptr_t pages[PROBE_PAGES];
    unsigned next;
    bool is_at_rest; // the thread has come here by itself: what it reads makes sense, and pages
                     // that were readable lately need not be asked for again
};

// What was readable lately is asked for again.
void probe_forget(void);

bool probe_is_readable(struct probe *probe, uintptr_t address, size_t len);
bool probe_copy(struct probe *probe, void *to, uintptr_t from, size_t len);

// Reads one word; 0 when it cannot be read.
uintptr_t probe_word(struct probe *probe, uintptr_t address);
