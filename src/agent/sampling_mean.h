// SPDX-License-Identifier: Apache-2.0
#pragma once

// How many bytes lie between two points of allocation, on the average. It starts small, so that
// small programs and short bursts are seen well, and follows the rate at which samples come, so
// that their cost stays a few parts in a thousand and the ring has room for them. Context: any
// thread, signal handler

#include <stdint.h>

#include "wire/ring.h"

// `fixed` bytes for good; 0: as described.
void sampling_mean_start(uint64_t fixed);

uint32_t sampling_mean(void);

// A sample was taken: now and then the mean is looked at.
void sampling_mean_count(const struct ring *ring);

// There is no room for more live blocks than such a mean gives: not below it from now on.
void sampling_mean_raise(uint64_t lowest);
