// SPDX-License-Identifier: Apache-2.0
#pragma once

// The memory of another process of ours, read while it runs: what is found there may be half of an
// old thing and half of a new one, or nothing at all.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct remote_memory {
    int pid;
    bool is_refused; // the kernel does not let us look
};

bool remote_memory_read(struct remote_memory *memory, uint64_t address, void *to, size_t len);

// One word; 0 when it cannot be read.
uint64_t remote_memory_word(struct remote_memory *memory, uint64_t address);
