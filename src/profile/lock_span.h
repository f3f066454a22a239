// SPDX-License-Identifier: Apache-2.0
#pragma once

// Where a source text holds its locks: in the bodies of `with lock:`, and between lock.acquire()
// and lock.release() of one function. Locks are told apart by how they are written; `self.lock` of
// two classes are two.

#include <stdbool.h>
#include <stddef.h>

#include "profile/block.h"
#include "profile/source.h"

struct lock_span {
    char *lock;      // as written, without blanks
    int class;       // block of the class that self and cls are of; -1: none
    int function;    // block around it; -1: none
    int taken_first; // the lines on which it is taken
    int taken_last;
    int held_first; // and held
    int held_last;  // before held_first: not known
};

struct lock_span_list {
    struct lock_span *spans;
    size_t count;
    size_t capacity;
};

void lock_span_list_read(struct lock_span_list *list, const struct source *source,
                         const struct block_list *blocks);
void lock_span_list_clear(struct lock_span_list *list);

bool lock_span_takes(const struct lock_span *span, int line);
bool lock_span_is_same_lock(const struct lock_span *a, const struct lock_span *b);
