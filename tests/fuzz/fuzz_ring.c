// SPDX-License-Identifier: Apache-2.0
// The reader over a ring whose every byte comes from the input: it must stay inside the data, hand
// out well-formed views only, and come to an end.
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fuzz.h"
#include "wire/ring.h"

static struct ring ring;

// What the input starts with; the ring's data follow it.
struct ends {
    uint64_t head;
    uint64_t tail;
    uint64_t place; // of the data in the ring
};

static void make_ring(void)
{
    char folder[] = "/tmp/scalene-fuzz-XXXXXX";
    char path[64];
    if (!mkdtemp(folder)) {
        abort();
    }
    snprintf(path, sizeof path, "%s/ring", folder);
    if (!ring_create(&ring, path, RING_MIN_BYTES)) {
        abort();
    }
    unlink(path);
    rmdir(folder);
}

static void check_view(const struct ring_view *view, uint64_t size_before)
{
    const uint8_t *start = view->record;
    bool is_inside = start >= ring.data && start < ring.data + ring.size && view->len <= ring.size;
    bool is_formed = view->len >= sizeof(struct record_header) && view->len % 8 == 0 &&
                     view->type > RECORD_NONE && view->type < RECORD_TYPE_COUNT;
    if (!is_inside || !is_formed || view->len > size_before) {
        abort();
    }
}

static void read_all(bool writer_is_gone)
{
    struct ring_view view = {0};
    uint64_t torn = 0;
    uint64_t limit = ring.size / sizeof(struct record_header) + 1;
    while (ring_next(&ring, writer_is_gone, &view, &torn)) {
        uint64_t head = atomic_load(&ring.header->head);
        check_view(&view, head - atomic_load(&ring.header->tail));
        if (limit-- == 0) {
            abort();
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct ends ends = {0};
    if (!ring.header) {
        make_ring();
    }
    if (size < sizeof ends) {
        return 0;
    }
    memcpy(&ends, data, sizeof ends);
    data += sizeof ends;
    size -= sizeof ends;
    memset(ring.data, 0, ring.size);
    memcpy(ring.data + ends.place % ring.size, data, size < ring.size ? size : ring.size);
    atomic_store(&ring.header->head, ends.head);
    atomic_store(&ring.header->tail, ends.tail);
    read_all(false);
    read_all(true);
    // It must have come to rest, with nothing left but what is less than a record.
    uint64_t head = atomic_load(&ring.header->head);
    if (head - atomic_load(&ring.header->tail) >= sizeof(struct record_header)) {
        abort();
    }
    return 0;
}
