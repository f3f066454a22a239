// SPDX-License-Identifier: Apache-2.0
#include "agent/native_stack.h"

#include "agent/probe.h"

size_t native_stack_len(const struct thread *thread, uintptr_t start, size_t limit)
{
    bool is_own_stack = thread->stack_end > start && thread->stack_end - start < (1u << 30);
    if (is_own_stack) {
        size_t available = thread->stack_end - start;
        limit = limit < available ? limit : available;
    } else {
        struct probe probe = {0};
        while (limit > 0 && !probe_is_readable(&probe, start, limit)) {
            limit /= 2;
        }
    }
    return limit & ~(size_t)7;
}
