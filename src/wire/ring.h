// SPDX-License-Identifier: Apache-2.0
#pragma once

// One process's way to the collector: a file in the run's directory that both map. Any number of
// threads write, and a signal handler may write while its own thread is in the middle of writing;
// one reader reads. A full ring drops the record, and the writer counts it. A process may die
// anywhere: what it had committed is read, what it was writing is recognised and stepped over.
// The producer's functions neither allocate nor lock.
// Context: any thread, signal handler

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wire/record.h"
#include "wire/wait_table.h"

#define RING_VERSION     4
#define RING_MIN_BYTES   (64u * 1024)
#define RING_MAX_BYTES   (64u * 1024 * 1024)
#define RING_HEADER_SIZE 4096u

struct ring_header {
    _Atomic uint64_t magic; // stored last: a reader that sees it sees all the rest
    uint32_t version;
    int32_t pid;
    uint64_t size;               // of the data, a power of two
    uint64_t clock_ticks_per_ms; // of the cycle counter, for the cost counters; 0 when unknown
    _Alignas(64) _Atomic uint64_t head; // bytes ever reserved
    _Alignas(64) _Atomic uint64_t tail; // bytes ever read
    _Alignas(64) _Atomic uint64_t counters[RING_COUNTER_COUNT];
    struct wait_table waits;
};

struct ring {
    struct ring_header *header; // NULL: closed
    uint8_t *data;              // mapped twice in a row, so that no record is ever split
    uint64_t size;
};

// Makes the file and reserves its pages; halves `size` down to RING_MIN_BYTES until it takes at
// most a sixteenth of what is free, and less in a file system that is getting full. False, with
// nothing left behind and errno set, when there is no room.
bool ring_create(struct ring *ring, const char *path, uint64_t size);

// Room for a record of `len` bytes in all; NULL when the ring is full. The caller fills everything
// after the header and commits.
void *ring_reserve(struct ring *ring, enum record_type type, size_t len);
void ring_commit(void *record);

// How full it is, 0 to 100.
unsigned ring_fill_percent(const struct ring *ring);

void ring_count(struct ring *ring, enum ring_counter counter, uint64_t amount);

// Unmaps; the file stays for the reader.
void ring_close(struct ring *ring);

// The reader's side.

enum ring_open_result {
    RING_OPENED,
    RING_NOT_READY, // the producer has not finished making it
    RING_REFUSED,   // not a ring, or of another version
};

enum ring_open_result ring_open(struct ring *ring, const char *path);

struct ring_view {
    const void *record;
    enum record_type type;
    size_t len;
};

// The next committed record, in the order of reservation. The view holds until the next call.
// With `writer_is_gone` half-written records are stepped over and added to `*torn`.
bool ring_next(struct ring *ring, bool writer_is_gone, struct ring_view *view, uint64_t *torn);
