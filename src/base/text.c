// SPDX-License-Identifier: Apache-2.0
#include "base/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

static void reserve(struct text *text, size_t more)
{
    size_t need = text->len + more + 1;
    if (need <= text->capacity) {
        return;
    }
    size_t capacity = text->capacity ? text->capacity : 64;
    while (capacity < need) {
        capacity *= 2;
    }
    text->data = mem_resize(text->data, capacity);
    text->capacity = capacity;
}

void text_add_bytes(struct text *text, const char *bytes, size_t len)
{
    reserve(text, len);
    if (len > 0) {
        memcpy(text->data + text->len, bytes, len);
    }
    text->len += len;
    text->data[text->len] = '\0';
}

void text_add(struct text *text, const char *piece)
{
    text_add_bytes(text, piece, strlen(piece));
}

void text_add_char(struct text *text, char c)
{
    text_add_bytes(text, &c, 1);
}

void text_format(struct text *text, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int len = vsnprintf(NULL, 0, format, args);
    va_end(args);
    if (len < 0) {
        return;
    }
    reserve(text, (size_t)len);
    va_start(args, format);
    vsnprintf(text->data + text->len, (size_t)len + 1, format, args);
    va_end(args);
    text->len += (size_t)len;
}

void text_clear(struct text *text)
{
    free(text->data);
    *text = (struct text){0};
}
