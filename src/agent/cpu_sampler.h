// SPDX-License-Identifier: Apache-2.0
#pragma once

// When a thread is sampled: one point, drawn at random, in each period of its CPU time; every
// sample then stands for one period, whatever the program does. Two timers aim at the point. The
// tick timer, on the thread's CPU clock, costs nothing but looks only at the kernel's tick; the
// one-shot, on the wall clock, is precise, and armed only between two waits that are close to the
// point, so that bursts of computing are sampled inside and no blocked call is ever interrupted.
// docs/accuracy.md has the reasoning and the figures.
// Context: the thread itself

#include <stdbool.h>
#include <stdint.h>

#include "agent/thread.h"

// `used_cpu_ns`: CPU time of the thread that is not ours to sample.
void cpu_sampler_start(struct cpu_sampler *sampler, uint64_t used_cpu_ns);
void cpu_sampler_stop(struct cpu_sampler *sampler);

// The thread is about to wait, has waited. `wall_ns` is now.
void cpu_sampler_wait_begins(struct cpu_sampler *sampler, uint64_t wall_ns);
void cpu_sampler_wait_ends(struct cpu_sampler *sampler, uint64_t wall_ns);

// A timer went off while the thread was in the agent: aims again.
void cpu_sampler_missed(struct cpu_sampler *sampler);

// Sends a thread that has not begun yet the signal once it computes, so that it begins. Context:
// any thread
bool cpu_sampler_call(int tid);

// Takes the signal that the timers send, once for the process.
bool cpu_sampler_install(void);
