// SPDX-License-Identifier: Apache-2.0
#pragma once

// Writes JSON piece by piece, so that a document of any size needs little memory: keys in order
// (checked), indented by four but for what is asked for on one line, ASCII only, never NaN. Text
// that is not UTF-8 gets U+FFFD where it breaks.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"
#include "base/watcher.h"
#include "profile/packed.h"

#define WRITER_DEPTH_MAX 16

struct writer {
    int fd;                // -1: everything stays in `text`
    struct packed *packed; // what is written goes here; NULL: to fd
    struct text text;      // what has not been written to fd yet
    bool is_compact;       // no white space, and whole numbers without a point
    bool is_on_one_line;   // what is written now; the caller's to set between values
    int error_number;      // errno of the first failed write; 0: none
    int depth;
    bool is_empty[WRITER_DEPTH_MAX];        // nothing written at this depth yet
    const char *last_key[WRITER_DEPTH_MAX]; // the caller keeps keys until their object's end
    bool has_key;                           // a key waits for its value
    const struct watcher *watcher;          // who is told how far it is; NULL: nobody
    size_t part_count;                      // of the document, as whoever writes it counts
    size_t parts_written;
};

void writer_init(struct writer *writer, int fd);
void writer_begin_object(struct writer *writer);
void writer_end_object(struct writer *writer);
void writer_begin_list(struct writer *writer);
void writer_end_list(struct writer *writer);
void writer_key(struct writer *writer, const char *key);
void writer_text(struct writer *writer, const char *text); // NULL: null
void writer_text_bytes(struct writer *writer, const char *bytes, size_t len);
void writer_integer(struct writer *writer, int64_t value);
void writer_unsigned(struct writer *writer, uint64_t value);
void writer_bool(struct writer *writer, bool value);
void writer_null(struct writer *writer);

// A value that is JSON already.
void writer_json(struct writer *writer, const char *json, size_t len);

// Rounded to so many decimals, 9 at most. What is not finite is written as 0.0.
void writer_real(struct writer *writer, double value, int decimals);

// One more part of the document is written.
void writer_end_part(struct writer *writer);

// From now on what is written to fd is packed.
void writer_pack(struct writer *writer);

// Ends the document with a newline, writes what is left. False if any write failed.
bool writer_finish(struct writer *writer);
void writer_clear(struct writer *writer);
