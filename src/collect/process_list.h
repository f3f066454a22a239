// SPDX-License-Identifier: Apache-2.0
#pragma once

// The profile's lists of processes and threads. A process is one entry however many programs it has
// been; one that was forked only to start a program that is not profiled is none.

#include <stdint.h>

#include "collect/run.h"

void process_list_fill(struct collector *collector, struct profile *profile);

// "3.12.1"; belongs to the caller.
char *process_list_version(uint32_t hex);

struct profile_ending process_list_ending(int wait_status);

// How a process ended, as far as anybody knows.
struct profile_ending process_list_ending_of(const struct collector *collector,
                                             const struct process *process);
