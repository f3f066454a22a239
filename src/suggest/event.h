// SPDX-License-Identifier: Apache-2.0
#pragma once

// Cuts the body of an answer into JSON documents: server-sent events, a document a line, or one
// document that is the whole body. Pieces may end anywhere. Who was asked for events and cannot
// send them sends one document, or a page of HTML: the first byte tells.

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"

#define EVENT_MAX (2u * 1024 * 1024) // bytes of one document

enum event_framing { EVENT_SSE, EVENT_LINES, EVENT_WHOLE };

struct event_reader {
    enum event_framing framing;
    bool has_begun;   // something else than blanks has come
    struct text line; // what has come of the line, or of the whole
    struct text data; // of the event
    void *context;
    void (*read)(void *context, const json_t *document);
    void (*read_end)(void *context); // "[DONE]"
    bool is_broken;                  // something was no JSON
    bool is_too_long;
};

void event_feed(struct event_reader *reader, const char *bytes, size_t len);

// No more will come: what has no line end yet counts.
void event_end(struct event_reader *reader);
void event_clear(struct event_reader *reader);
