// SPDX-License-Identifier: Apache-2.0
#include "profile/wire_form.h"

#define VARINT_BITS 64u
#define TYPE_BITS   3

enum wire_type {
    WIRE_VARINT = 0,
    WIRE_FIXED64 = 1,
    WIRE_BYTES = 2,
    WIRE_FIXED32 = 5,
};

struct wire_message wire_message_of(const void *bytes, size_t len)
{
    const unsigned char *at = bytes;
    return (struct wire_message){.at = at, .end = at + len};
}

// Seven bits a byte, the lowest first; the last has no eighth.
static bool read_varint(struct wire_message *message, uint64_t *value)
{
    *value = 0;
    for (unsigned shift = 0; shift < VARINT_BITS && message->at < message->end; shift += 7) {
        unsigned char byte = *message->at++;
        *value |= (uint64_t)(byte & 0x7fu) << shift;
        if (!(byte & 0x80u)) {
            return true;
        }
    }
    return false;
}

static bool read_fixed(struct wire_message *message, size_t width, uint64_t *value)
{
    if ((size_t)(message->end - message->at) < width) {
        return false;
    }
    *value = 0;
    for (size_t i = width; i > 0; i--) {
        *value = *value << 8 | message->at[i - 1];
    }
    message->at += width;
    return true;
}

static bool read_bytes(struct wire_message *message, struct wire_message *bytes)
{
    uint64_t len;
    if (!read_varint(message, &len) || len > (uint64_t)(message->end - message->at)) {
        return false;
    }
    *bytes = wire_message_of(message->at, (size_t)len);
    message->at += len;
    return true;
}

static bool read_value(struct wire_message *message, struct wire_field *field, uint64_t type)
{
    switch (type) {
    case WIRE_VARINT:
        return read_varint(message, &field->value);
    case WIRE_FIXED64:
        return read_fixed(message, sizeof(uint64_t), &field->value);
    case WIRE_FIXED32:
        return read_fixed(message, sizeof(uint32_t), &field->value);
    case WIRE_BYTES:
        return read_bytes(message, &field->bytes);
    default:
        return false;
    }
}

bool wire_message_next(struct wire_message *message, struct wire_field *field)
{
    uint64_t tag;
    *field = (struct wire_field){0};
    if (message->is_damaged || message->at == message->end) {
        return false;
    }
    message->is_damaged = !read_varint(message, &tag) || tag >> TYPE_BITS == 0 ||
                          tag >> TYPE_BITS > UINT32_MAX ||
                          !read_value(message, field, tag & ((1u << TYPE_BITS) - 1));
    field->number = message->is_damaged ? 0 : (uint32_t)(tag >> TYPE_BITS);
    return !message->is_damaged;
}
