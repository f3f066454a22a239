// SPDX-License-Identifier: Apache-2.0
#pragma once

// The clocks the agent reads.
// Context: any thread, signal handler

#include <stdint.h>
#include <time.h>
#include <x86intrin.h>

#include "agent/syscall.h"

static inline uint64_t clock_to_ns(struct timespec time)
{
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

static inline uint64_t clock_to_us(struct timeval time)
{
    return (uint64_t)time.tv_sec * 1000000u + (uint64_t)time.tv_usec;
}

static inline struct timespec clock_from_ns(uint64_t ns)
{
    return (struct timespec){(time_t)(ns / 1000000000u), (long)(ns % 1000000000u)};
}

// Wall time; no system call where the kernel offers its shared page.
static inline uint64_t clock_wall_ns(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return clock_to_ns(time);
}

// What this thread has computed, in user and kernel mode. A system call.
static inline uint64_t clock_cpu_ns(void)
{
    struct timespec time;
    raw_clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return clock_to_ns(time);
}

// What all threads of the process have computed. A system call, the dearer the more there are.
static inline uint64_t clock_process_cpu_ns(void)
{
    struct timespec time;
    raw_clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return clock_to_ns(time);
}

static inline uint64_t clock_cycles(void)
{
    return __rdtsc();
}
