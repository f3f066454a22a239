// SPDX-License-Identifier: Apache-2.0
#pragma once

// The native stack of the calling thread, as the collector wants it for unwinding.
// Context: the thread itself, also in its signal handlers

#include <stddef.h>
#include <stdint.h>

#include "agent/thread.h"

#define NATIVE_STACK_POINTER 7 // its number among the registers

// How many bytes can be copied from `start` up, at most `limit`.
size_t native_stack_len(const struct thread *thread, uintptr_t start, size_t limit);

// The registers of the function that calls this, as far as unwinding needs them, in the order of
// struct record_sample.
static inline __attribute__((always_inline)) void
native_stack_registers(uint64_t registers[RECORD_REGISTER_COUNT])
{
    for (int i = 0; i < RECORD_REGISTER_COUNT; i++) {
        registers[i] = 0;
    }
    uint64_t here;
    __asm__ volatile("movq %%rbx, 24(%1)\n\t"
                     "movq %%rbp, 48(%1)\n\t"
                     "movq %%rsp, 56(%1)\n\t"
                     "movq %%r12, 96(%1)\n\t"
                     "movq %%r13, 104(%1)\n\t"
                     "movq %%r14, 112(%1)\n\t"
                     "movq %%r15, 120(%1)\n\t"
                     "leaq (%%rip), %0\n\t"
                     "movq %0, 128(%1)"
                     : "=&r"(here)
                     : "r"(registers)
                     : "memory");
}
