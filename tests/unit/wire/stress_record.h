// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the stress test writes: numbered records of random length that can be told from damage.
// A stream is one writer: a thread, or the signal handler that interrupts it.

#include <stdbool.h>
#include <stdint.h>

#include "wire/ring.h"

struct stress_record {
    struct record_header header;
    uint32_t stream;
    uint32_t checksum; // of everything after it
    uint64_t number;   // from 0 up, without gaps within a stream
    uint8_t body[];
};

struct stress_stream {
    uint32_t id;
    uint64_t number; // of the next record
    uint64_t dropped;
    uint64_t seed; // not 0
};

// Writes one record, or counts it as dropped when the ring is full.
// Context: any thread, signal handler; one stream at a time
void stress_write(struct ring *ring, struct stress_stream *stream);

// Whether the view is a whole record; if so, its stream and number.
bool stress_check(const struct ring_view *view, uint32_t *stream, uint64_t *number);
