// SPDX-License-Identifier: Apache-2.0
#include "profile/writer.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "profile/utf8.h"

#define FLUSH_BYTES 262144

static const double powers[] = {1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9};

void writer_init(struct writer *writer, int fd)
{
    *writer = (struct writer){.fd = fd, .is_empty = {true}};
}

void writer_pack(struct writer *writer)
{
    writer->packed = packed_new(writer->fd);
    if (!writer->packed) {
        writer->error_number = ENOMEM;
    }
}

static void flush_packed(struct writer *writer)
{
    if (writer->error_number == 0) {
        writer->error_number = packed_add(writer->packed, writer->text.data, writer->text.len);
    }
    writer->text.len = 0;
}

static void flush(struct writer *writer)
{
    size_t done = 0;
    if (writer->packed) {
        flush_packed(writer);
        return;
    }
    while (done < writer->text.len && writer->error_number == 0) {
        ssize_t len = write(writer->fd, writer->text.data + done, writer->text.len - done);
        if (len >= 0) {
            done += (size_t)len;
        } else if (errno != EINTR) {
            writer->error_number = errno;
        }
    }
    writer->text.len = 0;
}

static void add_indent(struct writer *writer)
{
    static const char spaces[] =
        "\n                                                                ";
    if (writer->is_compact || writer->is_on_one_line) {
        return;
    }
    text_add_bytes(&writer->text, spaces, 1 + 4 * (size_t)writer->depth);
}

// What stands before a key or a list's element.
static void separate(struct writer *writer)
{
    if (!writer->is_empty[writer->depth]) {
        text_add_bytes(&writer->text, ", ", writer->is_on_one_line ? 2 : 1);
    }
    writer->is_empty[writer->depth] = false;
    add_indent(writer);
}

static void begin_value(struct writer *writer)
{
    if (writer->has_key) {
        writer->has_key = false;
    } else if (writer->depth > 0) {
        separate(writer);
    }
}

static void begin(struct writer *writer, char bracket)
{
    begin_value(writer);
    text_add_char(&writer->text, bracket);
    writer->depth++;
    assert(writer->depth < WRITER_DEPTH_MAX);
    writer->is_empty[writer->depth] = true;
    writer->last_key[writer->depth] = NULL;
}

static void end(struct writer *writer, char bracket)
{
    bool was_empty = writer->is_empty[writer->depth--];
    if (!was_empty) {
        add_indent(writer);
    }
    text_add_char(&writer->text, bracket);
    if (writer->fd >= 0 && writer->text.len >= FLUSH_BYTES) {
        flush(writer);
    }
}

void writer_begin_object(struct writer *writer)
{
    begin(writer, '{');
}

void writer_end_object(struct writer *writer)
{
    end(writer, '}');
}

void writer_begin_list(struct writer *writer)
{
    begin(writer, '[');
}

void writer_end_list(struct writer *writer)
{
    end(writer, ']');
}

static void add_unit(struct text *text, unsigned unit)
{
    static const char digits[] = "0123456789abcdef";
    char escape[6] = {'\\',
                      'u',
                      digits[unit >> 12 & 15],
                      digits[unit >> 8 & 15],
                      digits[unit >> 4 & 15],
                      digits[unit & 15]};
    text_add_bytes(text, escape, sizeof escape);
}

static void add_escaped(struct text *text, uint32_t point)
{
    static const char named[] = "\"\"\\\\\bb\ff\nn\rr\tt";
    for (const char *pair = named; *pair; pair += 2) {
        if ((uint32_t)*pair == point) {
            text_add_char(text, '\\');
            text_add_char(text, pair[1]);
            return;
        }
    }
    if (point > 0xffff) {
        add_unit(text, 0xd800 + (unsigned)((point - 0x10000) >> 10));
        add_unit(text, 0xdc00 + ((point - 0x10000) & 0x3ff));
    } else {
        add_unit(text, (unsigned)point);
    }
}

static bool is_plain(char c)
{
    return c >= ' ' && c < 0x7f && c != '"' && c != '\\';
}

static void add_string(struct text *text, const char *bytes, size_t len)
{
    text_add_char(text, '"');
    for (size_t at = 0; at < len;) {
        size_t plain = at;
        while (plain < len && is_plain(bytes[plain])) {
            plain++;
        }
        text_add_bytes(text, bytes + at, plain - at);
        at = plain;
        if (at < len) {
            uint32_t point;
            at += utf8_read(bytes + at, len - at, &point);
            add_escaped(text, point);
        }
    }
    text_add_char(text, '"');
}

void writer_key(struct writer *writer, const char *key)
{
    const char *last = writer->last_key[writer->depth];
    assert(!last || strcmp(last, key) < 0);
    writer->last_key[writer->depth] = key;
    separate(writer);
    add_string(&writer->text, key, strlen(key));
    text_add_bytes(&writer->text, ": ", writer->is_compact ? 1 : 2);
    writer->has_key = true;
}

void writer_text_bytes(struct writer *writer, const char *bytes, size_t len)
{
    begin_value(writer);
    add_string(&writer->text, bytes, len);
}

void writer_text(struct writer *writer, const char *text)
{
    if (text) {
        writer_text_bytes(writer, text, strlen(text));
    } else {
        writer_null(writer);
    }
}

// Numbers are made by hand: printf would be half of the time of saving.
static void add_whole(struct text *text, uint64_t value)
{
    char digits[20];
    char *at = digits + sizeof digits;
    do {
        *--at = (char)('0' + value % 10);
        value /= 10;
    } while (value > 0);
    text_add_bytes(text, at, (size_t)(digits + sizeof digits - at));
}

void writer_integer(struct writer *writer, int64_t value)
{
    begin_value(writer);
    if (value < 0) {
        text_add_char(&writer->text, '-');
    }
    add_whole(&writer->text, value < 0 ? 0 - (uint64_t)value : (uint64_t)value);
}

void writer_unsigned(struct writer *writer, uint64_t value)
{
    begin_value(writer);
    add_whole(&writer->text, value);
}

void writer_bool(struct writer *writer, bool value)
{
    begin_value(writer);
    text_add(&writer->text, value ? "true" : "false");
}

void writer_null(struct writer *writer)
{
    begin_value(writer);
    text_add(&writer->text, "null");
}

void writer_json(struct writer *writer, const char *json, size_t len)
{
    begin_value(writer);
    text_add_bytes(&writer->text, json, len);
}

// With as many decimals as are not zero, one at least.
static void add_fixed(struct text *text, uint64_t scaled, int decimals)
{
    char digits[32];
    char *at = digits + sizeof digits;
    bool is_significant = false;
    for (int i = 0; i < decimals; i++, scaled /= 10) {
        is_significant |= scaled % 10 != 0 || i == decimals - 1;
        if (is_significant) {
            *--at = (char)('0' + scaled % 10);
        }
    }
    *--at = '.';
    do {
        *--at = (char)('0' + scaled % 10);
        scaled /= 10;
    } while (scaled > 0);
    text_add_bytes(text, at, (size_t)(digits + sizeof digits - at));
}

void writer_real(struct writer *writer, double value, int decimals)
{
    assert(decimals >= 1 && decimals <= 9);
    begin_value(writer);
    if (!isfinite(value)) {
        value = 0;
    }
    double scaled = round(fabs(value) * powers[decimals]);
    if (scaled >= 9e15) { // a double holds no more digits
        text_format(&writer->text, "%.17e", value);
        return;
    }
    if (value < 0 && scaled > 0) {
        text_add_char(&writer->text, '-');
    }
    add_fixed(&writer->text, (uint64_t)scaled, decimals);
    struct text *text = &writer->text;
    if (writer->is_compact && memcmp(text->data + text->len - 2, ".0", 2) == 0) {
        text->len -= 2;
    }
}

void writer_end_part(struct writer *writer)
{
    writer->parts_written++;
    if (writer->watcher) {
        writer->watcher->step(writer->watcher->context, writer->parts_written, writer->part_count);
    }
}

bool writer_finish(struct writer *writer)
{
    text_add_char(&writer->text, '\n');
    if (writer->fd >= 0) {
        flush(writer);
    }
    if (writer->packed) {
        int error_number = packed_finish(writer->packed);
        writer->error_number = writer->error_number ? writer->error_number : error_number;
        writer->packed = NULL;
    }
    return writer->error_number == 0;
}

void writer_clear(struct writer *writer)
{
    text_clear(&writer->text);
}
