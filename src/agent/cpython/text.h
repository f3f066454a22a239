// SPDX-License-Identifier: Apache-2.0
#pragma once

// Strings of the interpreter's, read where they lie.
// Context: any thread, signal handler

#include <stdbool.h>
#include <stdint.h>

#include "agent/probe.h"

// A string's characters, readable but not copied yet.
struct text_piece {
    uintptr_t data;
    uint32_t len;  // in bytes
    uint8_t width; // 1, 2 or 4 bytes a code point
};

// False when `object` is no string that could be read.
bool text_find(struct probe *probe, uintptr_t object, struct text_piece *piece);

// Whether it is this ASCII text.
bool text_is(struct probe *probe, uintptr_t object, const char *wanted);
