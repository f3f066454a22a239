// SPDX-License-Identifier: Apache-2.0
#include "profile/utf8.h"

static size_t sequence_len(unsigned char lead)
{
    if (lead < 0x80) {
        return 1;
    }
    if (lead >= 0xc2 && lead <= 0xdf) {
        return 2;
    }
    if (lead >= 0xe0 && lead <= 0xef) {
        return 3;
    }
    return lead >= 0xf0 && lead <= 0xf4 ? 4 : 0;
}

size_t utf8_read(const char *bytes, size_t len, uint32_t *point)
{
    static const uint32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
    unsigned char lead = (unsigned char)bytes[0];
    size_t need = sequence_len(lead);
    if (need == 1) {
        *point = lead;
        return 1;
    }
    *point = UTF8_REPLACEMENT;
    if (need == 0 || need > len) {
        return 1;
    }
    uint32_t value = lead & (0x7fu >> need);
    for (size_t i = 1; i < need; i++) {
        unsigned char next = (unsigned char)bytes[i];
        if ((next & 0xc0) != 0x80) {
            return 1;
        }
        value = value << 6 | (next & 0x3f);
    }
    if (value < smallest[need] || value > 0x10ffff || (value >= 0xd800 && value <= 0xdfff)) {
        return 1;
    }
    *point = value;
    return need;
}

size_t utf8_cut(const char *bytes, size_t len, size_t max)
{
    size_t end = 0;
    while (end < len) {
        uint32_t point;
        size_t step = utf8_read(bytes + end, len - end, &point);
        if (end + step > max) {
            break;
        }
        end += step;
    }
    return end;
}

size_t utf8_write(uint32_t point, char *bytes)
{
    if (point < 0x80) {
        bytes[0] = (char)point;
        return 1;
    }
    size_t len = point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
    for (size_t i = len - 1; i > 0; i--) {
        bytes[i] = (char)(0x80 | (point & 0x3f));
        point >>= 6;
    }
    bytes[0] = (char)((0xf00u >> len & 0xff) | point);
    return len;
}

bool utf8_is_control(uint32_t point)
{
    return point < 0x20 || (point >= 0x7f && point < 0xa0) || point == 0x061c || point == 0x200e ||
           point == 0x200f || (point >= 0x2028 && point <= 0x202e) ||
           (point >= 0x2066 && point <= 0x2069);
}
