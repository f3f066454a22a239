// SPDX-License-Identifier: Apache-2.0
#pragma once

// The live blocks of one process that were hit by a sample, by number. Bounded; zero-initialised is
// empty.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define BLOCK_TABLE_MAX 65536u // more than an agent follows

struct block {
    uint64_t number; // 0: a free slot
    uint64_t size;
    uint64_t weight; // the bytes that it stands for
    double birth_s;
    uint32_t site; // of the memory tally
    bool is_python;
};

struct block_table {
    struct block *slots;
    size_t capacity; // a power of two, at least twice the count
    size_t count;
};

// NULL when it is not there. Valid until the next addition or removal.
struct block *block_table_find(const struct block_table *table, uint64_t number);

// A number that is not there yet. False when the table is full.
bool block_table_add(struct block_table *table, const struct block *block);

// One that block_table_find gave.
void block_table_remove(struct block_table *table, struct block *block);

void block_table_clear(struct block_table *table);
