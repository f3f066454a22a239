// SPDX-License-Identifier: Apache-2.0
#pragma once

// What kind of instruction a frame is at, as far as telling Python from native needs it.
// Context: any thread, signal handler

#include <stdint.h>

#include "wire/record.h"

enum opcode_class opcodes_class(int minor, uint8_t opcode);
