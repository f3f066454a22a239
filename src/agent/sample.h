// SPDX-License-Identifier: Apache-2.0
#pragma once

// One sample of the calling thread: where it is in Python, in C, and what the kernel did for it.
// Context: the thread itself, in its signal handler or in a hook

#include <stdint.h>
#include <ucontext.h>

// `context` is what the signal interrupted; NULL in a hook, where no native stack is taken. While
// profiling is off only the weight is told.
void sample_take(const ucontext_t *context, uint64_t cpu_ns, uint32_t periods, unsigned flags);

// The two bytes before an instruction and the two at it; zeros where unreadable.
void sample_code_bytes(uintptr_t ip, uint8_t code[4]);
