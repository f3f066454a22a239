// SPDX-License-Identifier: Apache-2.0
#include "agent/plain_copy.h"

#include <stdint.h>

// Volatile, since a compiler makes a call of memmove out of a loop that does the same.
void *plain_copy(void *to, const void *from, size_t len)
{
    volatile char *target = to;
    const volatile char *source = from;
    if ((uintptr_t)to - (uintptr_t)from >= len) {
        for (size_t i = 0; i < len; i++) {
            target[i] = source[i];
        }
    } else {
        for (size_t i = len; i > 0; i--) {
            target[i - 1] = source[i - 1];
        }
    }
    return to;
}
