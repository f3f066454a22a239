// SPDX-License-Identifier: Apache-2.0
#pragma once

// Who copies how much: in every so many bytes that a thread copies one point is drawn, and the copy
// that it lies in stands for all of them. A copy larger than that is taken as it is. How many bytes
// follows from the rate, so that there are no more than about five hundred records in a second of
// CPU time.
// Context: any thread, signal handler, vfork child

#include <stdbool.h>
#include <stdint.h>

// Bytes up to the next point, or less. Zero in a new thread, so that its first copy asks.
extern _Thread_local uint32_t copy_sampler_left __attribute__((tls_model("initial-exec")));

// Counts a copy and says that it holds no point; false, with nothing counted, where
// copy_sampler_reach must be told instead.
static inline bool copy_sampler_passes(uint64_t len)
{
    if (__builtin_expect(len < copy_sampler_left, 1)) {
        copy_sampler_left -= (uint32_t)len;
        return true;
    }
    return false;
}

void copy_sampler_reach(uint64_t len);

static inline void copy_sampler_add(uint64_t len)
{
    if (!copy_sampler_passes(len)) {
        copy_sampler_reach(len);
    }
}
