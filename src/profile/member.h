// SPDX-License-Identifier: Apache-2.0
#pragma once

// A key and its value, as most of a document's members are written.

#include "profile/writer.h"

static inline void member_text(struct writer *writer, const char *key, const char *text)
{
    writer_key(writer, key);
    writer_text(writer, text);
}

static inline void member_text_or_empty(struct writer *writer, const char *key, const char *text)
{
    member_text(writer, key, text ? text : "");
}

static inline void member_integer(struct writer *writer, const char *key, int64_t value)
{
    writer_key(writer, key);
    writer_integer(writer, value);
}

static inline void member_unsigned(struct writer *writer, const char *key, uint64_t value)
{
    writer_key(writer, key);
    writer_unsigned(writer, value);
}

static inline void member_bool(struct writer *writer, const char *key, bool value)
{
    writer_key(writer, key);
    writer_bool(writer, value);
}

static inline void member_real(struct writer *writer, const char *key, double value, int decimals)
{
    writer_key(writer, key);
    writer_real(writer, value, decimals);
}

static inline void member_texts(struct writer *writer, const char *key, char *const *texts,
                                size_t count)
{
    writer_key(writer, key);
    writer_begin_list(writer);
    for (size_t i = 0; i < count; i++) {
        writer_text(writer, texts[i]);
    }
    writer_end_list(writer);
}
