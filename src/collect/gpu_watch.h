// SPDX-License-Identifier: Apache-2.0
#pragma once

// The accelerators that the program uses: follows what is read of them beside the program, and
// tells the profile. Costs nothing while no process of the program has one open.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collect/fold.h"
#include "collect/gpu_credit.h"
#include "collect/process.h"
#include "profile/profile.h"

struct gpu_watch;

struct gpu_watch *gpu_watch_new(void);
void gpu_watch_free(struct gpu_watch *watch);

// To be called often: takes what was read meanwhile, and says which processes run.
void gpu_watch_look(struct gpu_watch *watch, struct fold *fold, struct process *const *processes,
                    size_t count);

// A thread of the process was on that line for that time.
void gpu_watch_credit(struct gpu_watch *watch, struct tally *tally,
                      const struct gpu_stretch *stretch);

// A process of the program's has ended: what was read until now is all there is of it.
void gpu_watch_end(struct gpu_watch *watch, struct fold *fold, int pid);

// The devices, and what could not be measured.
void gpu_watch_fill(const struct gpu_watch *watch, struct profile *profile);

// CPU that reading took, beside the program.
double gpu_watch_cpu_s(const struct gpu_watch *watch);

// This process is a copy of the one that started the reading: there will be no more.
void gpu_watch_take_over(struct gpu_watch *watch);
