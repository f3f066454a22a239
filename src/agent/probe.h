// SPDX-License-Identifier: Apache-2.0
#pragma once

// Reads of memory that may not be there. A sampled thread can be anywhere, also between two stores
// that only together make sense: every pointer found there is asked of the kernel before it is
// followed. No handler for SIGSEGV is needed, which would be the program's.
// Context: any thread, signal handler

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PROBE_PAGE_SIZE   4096u
#define PROBE_PAGES       16
#define PROBE_KNOWN_PAGES 2048u

// The pages found readable in the course of one walk. Zero-initialised is empty.
struct probe {
    uintptr_t pages[PROBE_PAGES];
    unsigned next;
    bool is_at_rest; // the thread has come here by itself: what it reads makes sense, and pages
                     // that were readable lately need not be asked for again
};

// Pages that were readable lately, for threads at rest: each in its place by its number, odd, so
// that an empty place is none.
extern _Atomic uintptr_t probe_known_pages[PROBE_KNOWN_PAGES];

// What was readable lately is asked for again.
void probe_forget(void);

static inline _Atomic uintptr_t *probe_known_place(uintptr_t page)
{
    return &probe_known_pages[page / PROBE_PAGE_SIZE % PROBE_KNOWN_PAGES];
}

bool probe_ask(struct probe *probe, uintptr_t address, size_t len);

static inline bool probe_is_readable(struct probe *probe, uintptr_t address, size_t len)
{
    uintptr_t page = address & ~(uintptr_t)(PROBE_PAGE_SIZE - 1);
    bool is_known = probe->is_at_rest && address - page + len <= PROBE_PAGE_SIZE &&
                    len <= PROBE_PAGE_SIZE &&
                    atomic_load_explicit(probe_known_place(page), memory_order_relaxed) == page + 1;
    return __builtin_expect(is_known, 1) || probe_ask(probe, address, len);
}

bool probe_copy(struct probe *probe, void *to, uintptr_t from, size_t len);

// Reads one word; 0 when it cannot be read.
uintptr_t probe_word(struct probe *probe, uintptr_t address);

// Words and bytes of what was found readable as a whole.
static inline uintptr_t probe_seen_word(uintptr_t address)
{
    uintptr_t word;
    __builtin_memcpy(&word, (const void *)address, sizeof word);
    return word;
}

static inline int32_t probe_seen_int(uintptr_t address)
{
    int32_t value;
    __builtin_memcpy(&value, (const void *)address, sizeof value);
    return value;
}

static inline uint8_t probe_seen_byte(uintptr_t address)
{
    return *(const uint8_t *)address;
}
