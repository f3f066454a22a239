// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdint.h>

struct collector;
struct process;

// Settles with one.
void departure_finish(struct collector *collector, struct process *process, uint64_t now_ns);

// With all that have ended; of more than can be listed, sums are kept. To be
// called after all rings have been read: what a child inherits, its parent may have left just now.
void departure_settle(struct collector *collector, uint64_t now_ns);
