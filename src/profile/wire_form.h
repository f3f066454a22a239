// SPDX-License-Identifier: Apache-2.0
#pragma once

// The wire form of protocol buffers: fields, one after the other, each with a number and a value.
// Only read here. A message that ends in the middle of a field is damaged.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct wire_message {
    const unsigned char *at;
    const unsigned char *end;
    bool is_damaged;
};

struct wire_field {
    uint32_t number;
    uint64_t value;            // of a number, whatever its width
    struct wire_message bytes; // of a text or a message inside; else empty
};

struct wire_message wire_message_of(const void *bytes, size_t len);

// False at the end, and where it is damaged.
bool wire_message_next(struct wire_message *message, struct wire_field *field);
