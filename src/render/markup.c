// SPDX-License-Identifier: Apache-2.0
#include "render/markup.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/mem.h"
#include "profile/utf8.h"

#define GZIP_WINDOW (15 + 16) // the largest, with gzip's header

static bool is_harmful(uint32_t point)
{
    return utf8_is_control(point) && point != '\n' && point != '\t';
}

static void add_point(struct text *out, uint32_t point)
{
    char bytes[4];
    switch (point) {
    case '&':
        text_add(out, "&amp;");
        break;
    case '<':
        text_add(out, "&lt;");
        break;
    case '>':
        text_add(out, "&gt;");
        break;
    case '"':
        text_add(out, "&quot;");
        break;
    case '\'':
        text_add(out, "&#39;");
        break;
    default:
        text_add_bytes(out, bytes, utf8_write(is_harmful(point) ? UTF8_REPLACEMENT : point, bytes));
    }
}

void markup_bytes(struct text *out, const char *bytes, size_t len)
{
    for (size_t at = 0; at < len;) {
        uint32_t point;
        at += utf8_read(bytes + at, len - at, &point);
        add_point(out, point);
    }
}

void markup_text(struct text *out, const char *text)
{
    markup_bytes(out, text, strlen(text));
}

void markup_json(struct text *out, const char *json, size_t len)
{
    for (size_t at = 0; at < len;) {
        const char *found = memchr(json + at, '<', len - at);
        size_t plain = found ? (size_t)(found - json) - at : len - at;
        text_add_bytes(out, json + at, plain);
        if (found) {
            text_add(out, "\\u003c");
        }
        at += plain + (found ? 1 : 0);
    }
}

static void add_base64(struct text *out, const unsigned char *bytes, size_t len)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < len; i += 3) {
        uint32_t three = (uint32_t)bytes[i] << 16;
        three |= i + 1 < len ? (uint32_t)bytes[i + 1] << 8 : 0;
        three |= i + 2 < len ? bytes[i + 2] : 0;
        char four[4] = {digits[three >> 18], digits[three >> 12 & 63],
                        i + 1 < len ? digits[three >> 6 & 63] : '=',
                        i + 2 < len ? digits[three & 63] : '='};
        text_add_bytes(out, four, sizeof four);
    }
}

void markup_packed(struct text *out, const char *bytes, size_t len)
{
    z_stream stream = {.next_in = (unsigned char *)bytes, .avail_in = (unsigned)len};
    deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, GZIP_WINDOW, 9, Z_DEFAULT_STRATEGY);
    size_t room = deflateBound(&stream, (unsigned long)len);
    unsigned char *packed = mem_alloc(room);
    stream.next_out = packed;
    stream.avail_out = (unsigned)room;
    deflate(&stream, Z_FINISH);
    add_base64(out, packed, stream.total_out);
    deflateEnd(&stream);
    free(packed);
}
