// SPDX-License-Identifier: Apache-2.0
#include "suggest/event.h"

#include <string.h>

static void read_document(struct event_reader *reader, const char *bytes, size_t len)
{
    static const char done[] = "[DONE]";
    while (len > 0 && strchr(" \r\n\t", bytes[len - 1])) {
        len--;
    }
    if (len == 0 || reader->is_broken) {
        return;
    }
    if (len == sizeof done - 1 && memcmp(bytes, done, len) == 0) {
        reader->read_end(reader->context);
        return;
    }
    json_t *document = json_loadb(bytes, len, 0, NULL);
    if (!document) {
        reader->is_broken = true;
        return;
    }
    reader->read(reader->context, document);
    json_decref(document);
}

static void end_event(struct event_reader *reader)
{
    read_document(reader, reader->data.data, reader->data.len);
    reader->data.len = 0;
}

static void read_sse_line(struct event_reader *reader, const char *line, size_t len)
{
    static const char field[] = "data:";
    if (len > 0 && line[len - 1] == '\r') {
        len--;
    }
    if (len == 0) {
        end_event(reader);
    } else if (len >= sizeof field - 1 && memcmp(line, field, sizeof field - 1) == 0) {
        line += sizeof field - 1;
        len -= sizeof field - 1;
        size_t blank = len > 0 && line[0] == ' ';
        if (reader->data.len > 0) {
            text_add_char(&reader->data, '\n');
        }
        text_add_bytes(&reader->data, line + blank, len - blank);
    }
}

static void end_line(struct event_reader *reader)
{
    if (reader->framing == EVENT_SSE) {
        read_sse_line(reader, reader->line.len > 0 ? reader->line.data : "", reader->line.len);
    } else {
        read_document(reader, reader->line.data, reader->line.len);
    }
    reader->line.len = 0;
}

// No line of an event begins so.
static void look_at_first(struct event_reader *reader, const char *bytes, size_t len)
{
    size_t at = 0;
    while (at < len && strchr(" \r\n\t", bytes[at])) {
        at++;
    }
    if (at == len) {
        return;
    }
    reader->has_begun = true;
    if (reader->framing == EVENT_SSE && (bytes[at] == '{' || bytes[at] == '[')) {
        reader->framing = EVENT_WHOLE;
    }
    reader->is_broken |= bytes[at] == '<';
}

void event_feed(struct event_reader *reader, const char *bytes, size_t len)
{
    if (!reader->has_begun) {
        look_at_first(reader, bytes, len);
    }
    const char *end = bytes + len;
    while (bytes < end && !reader->is_too_long) {
        const char *newline =
            reader->framing == EVENT_WHOLE ? NULL : memchr(bytes, '\n', (size_t)(end - bytes));
        const char *stop = newline ? newline : end;
        if (reader->line.len + reader->data.len + (size_t)(stop - bytes) > EVENT_MAX) {
            reader->is_too_long = true;
            return;
        }
        if (stop > bytes) {
            text_add_bytes(&reader->line, bytes, (size_t)(stop - bytes));
        }
        if (newline) {
            end_line(reader);
        }
        bytes = stop + (newline != NULL);
    }
}

void event_end(struct event_reader *reader)
{
    if (reader->line.len > 0) {
        end_line(reader);
    }
    if (reader->data.len > 0) {
        end_event(reader);
    }
}

void event_clear(struct event_reader *reader)
{
    text_clear(&reader->line);
    text_clear(&reader->data);
}
