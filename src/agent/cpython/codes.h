// SPDX-License-Identifier: Apache-2.0
#pragma once

// Code objects, each known to the collector by a number once it has been sent. The table is of
// fixed size and forgets; a code object that comes back is sent again under a new number.
// Context: any thread, signal handler

#include <stdbool.h>
#include <stdint.h>

#include "agent/probe.h"
#include "wire/ring.h"

// Whether it is a code object, of which all that is asked here can be read.
bool codes_is_code(struct probe *probe, uintptr_t object);

// The number of what is a code object, sent now if it is new; 0 when that found no room.
uint32_t codes_id(struct ring *ring, struct probe *probe, uintptr_t code);
