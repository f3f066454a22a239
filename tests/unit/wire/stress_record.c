// SPDX-License-Identifier: Apache-2.0
#include "stress_record.h"

static uint64_t random_word(struct stress_stream *stream)
{
    stream->seed ^= stream->seed << 13;
    stream->seed ^= stream->seed >> 7;
    stream->seed ^= stream->seed << 17;
    return stream->seed;
}

static uint32_t checksum(const struct stress_record *record, size_t len)
{
    const uint8_t *bytes = (const uint8_t *)&record->number;
    size_t count = len - offsetof(struct stress_record, number);
    uint32_t sum = 2166136261u ^ record->stream;
    for (size_t i = 0; i < count; i++) {
        sum = (sum ^ bytes[i]) * 16777619u;
    }
    return sum;
}

void stress_write(struct ring *ring, struct stress_stream *stream)
{
    uint64_t random = random_word(stream);
    // Mostly small ones, sometimes a native stack's size; whole words, as the reader sees them.
    size_t body_len = (random & 63) == 0 ? random >> 32 & 0x3ff8 : random >> 32 & 0xf8;
    size_t len = sizeof(struct stress_record) + body_len;
    enum record_type type = (enum record_type)(1 + random % (RECORD_TYPE_COUNT - 1));
    struct stress_record *record = ring_reserve(ring, type, len);
    if (!record) {
        stream->dropped++;
        ring_count(ring, COUNTER_dropped_full, 1);
        return;
    }
    record->stream = stream->id;
    record->number = stream->number++;
    for (size_t i = 0; i < body_len; i++) {
        record->body[i] = (uint8_t)(random >> i % 57);
    }
    record->checksum = checksum(record, len);
    ring_commit(record);
}

bool stress_check(const struct ring_view *view, uint32_t *stream, uint64_t *number)
{
    const struct stress_record *record = view->record;
    if (view->len < sizeof *record || record->checksum != checksum(record, view->len)) {
        return false;
    }
    *stream = record->stream;
    *number = record->number;
    return true;
}
