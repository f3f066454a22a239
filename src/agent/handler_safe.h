// SPDX-License-Identifier: Apache-2.0
#pragma once

// Changes of a thread's own counters that a signal handler of the same thread may change as well:
// one instruction each, since a sum that is read, changed and written back loses what the handler
// added meanwhile. Other threads may not look.
// Context: the thread itself, signal handler

#include <stdint.h>

#if defined(__x86_64__)

static inline __attribute__((always_inline)) void handler_safe_add(int64_t *counter, int64_t amount)
{
    __asm__("addq %1, %0" : "+m"(*counter) : "er"(amount) : "cc");
}

#else
#error "no such instruction is known for this processor yet"
#endif

// Returns what it was.
static inline int64_t handler_safe_set(int64_t *counter, int64_t value)
{
    return __atomic_exchange_n(counter, value, __ATOMIC_RELAXED);
}
