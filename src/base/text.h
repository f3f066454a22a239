// SPDX-License-Identifier: Apache-2.0
#pragma once

// A text that grows at its end. Zero-initialised is empty; `data` is NUL-terminated once anything
// was added, and NULL before.

#include <stdarg.h>
#include <stddef.h>

struct text {
    char *data;
    size_t len;
    size_t capacity;
};

void text_add(struct text *text, const char *piece);
void text_add_bytes(struct text *text, const char *bytes, size_t len);
void text_add_char(struct text *text, char c);
void text_format(struct text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
void text_clear(struct text *text);
