// SPDX-License-Identifier: Apache-2.0
#pragma once

// A code object read from outside, as the record that its agent would have sent of it.

#include "collect/remote_stack.h"

// False when it cannot be read, or is not what it should be. On success the caller frees `*record`,
// which is `*len` bytes; its number is still to be given.
bool remote_code_read(struct remote_memory *memory, const struct remote_interpreter *interpreter,
                      uint64_t code, struct record_code **record, size_t *len);

// The line that its function starts at; 0 when it cannot be read.
int remote_code_first_line(struct remote_memory *memory,
                           const struct remote_interpreter *interpreter, uint64_t code);
