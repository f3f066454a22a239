// SPDX-License-Identifier: Apache-2.0
#include "collect/python_text.h"

#include <string.h>

#include "base/text.h"
#include "profile/utf8.h"

#define ESCAPED_BYTE 0xdc00u // and the byte: how Python keeps what is not UTF-8 in a file's name

bool python_text_is_width(unsigned width)
{
    return width == 1 || width == 2 || width == 4;
}

static uint32_t point_at(const uint8_t *bytes, unsigned width)
{
    uint32_t point = bytes[0];
    for (unsigned i = 1; i < width; i++) {
        point |= (uint32_t)bytes[i] << (8 * i);
    }
    return point;
}

char *python_text_decode(const uint8_t *bytes, size_t len, unsigned width)
{
    struct text text = {0};
    text_add(&text, "");
    for (size_t at = 0; at + width <= len; at += width) {
        char encoded[4];
        text_add_bytes(&text, encoded, utf8_write(point_at(bytes + at, width), encoded));
    }
    return text.data;
}

char *python_text_decode_path(const uint8_t *bytes, size_t len, unsigned width)
{
    struct text text = {0};
    text_add(&text, "");
    for (size_t at = 0; at + width <= len; at += width) {
        uint32_t point = point_at(bytes + at, width);
        char encoded[4];
        if (point >= ESCAPED_BYTE + 0x80 && point <= ESCAPED_BYTE + 0xff) {
            text_add_char(&text, (char)(point - ESCAPED_BYTE));
        } else {
            text_add_bytes(&text, encoded, utf8_write(point, encoded));
        }
    }
    return text.data;
}

void python_text_copy(const uint8_t *bytes, size_t len, unsigned width, char *out, size_t size)
{
    size_t used = 0;
    for (size_t at = 0; at + width <= len; at += width) {
        char encoded[4];
        size_t count = utf8_write(point_at(bytes + at, width), encoded);
        if (used + count >= size) {
            break;
        }
        memcpy(out + used, encoded, count);
        used += count;
    }
    out[used] = '\0';
}
