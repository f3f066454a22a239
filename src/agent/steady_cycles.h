// SPDX-License-Identifier: Apache-2.0
#pragma once

// Whether the processor's cycle counter is a clock: runs evenly whatever the processor does, and
// shows the same on every core. Where it is not, another clock is read, at some more cost.
// Context: any thread

#include <stdbool.h>
#include <stdint.h>

// By what the processor says of itself and the kernel goes by.
bool steady_cycles_are_known(void);

// `power_flags`: what cpuid has of power management (0x80000007, EDX). `kernel_clock`: the name of
// the clock that the kernel chose; empty when it does not tell.
bool steady_cycles_by(uint32_t power_flags, const char *kernel_clock);
