// SPDX-License-Identifier: Apache-2.0
#pragma once

// A file's data as its loader would make it at the file's own addresses: all but the code, with
// relocations applied. Every access is checked, since anything may be in a file.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collect/image.h"

struct loaded_segment {
    uint64_t address;
    size_t size; // of what the file has; zeros follow in memory
    size_t memory_size;
    uint8_t *bytes; // NULL for code
    bool is_writable;
    bool is_code;
};

struct loaded_data {
    struct loaded_segment *segments;
    size_t count;
};

// False when the file cannot be read.
bool loaded_data_load(struct loaded_data *data, struct image *image);

// 0 outside of the data.
uint64_t loaded_data_word(const struct loaded_data *data, uint64_t address);

// The NUL-terminated text at an address; NULL when there is none of at most `max` bytes.
const char *loaded_data_text(const struct loaded_data *data, uint64_t address, size_t max);

bool loaded_data_holds(const struct loaded_data *data, uint64_t address); // data, not code
bool loaded_data_is_code(const struct loaded_data *data, uint64_t address);

void loaded_data_clear(struct loaded_data *data);
