// SPDX-License-Identifier: Apache-2.0
#include "collect/block_table.h"

#include <stdlib.h>

#include "base/map.h"
#include "base/mem.h"

#define CAPACITY_FIRST 64u

static size_t home_of(const struct block_table *table, uint64_t number)
{
    return (size_t)map_key(number, 1) & (table->capacity - 1);
}

static size_t after(const struct block_table *table, size_t index)
{
    return (index + 1) & (table->capacity - 1);
}

struct block *block_table_find(const struct block_table *table, uint64_t number)
{
    if (table->count == 0) {
        return NULL;
    }
    for (size_t i = home_of(table, number); table->slots[i].number != 0; i = after(table, i)) {
        if (table->slots[i].number == number) {
            return &table->slots[i];
        }
    }
    return NULL;
}

static void put(struct block_table *table, const struct block *block)
{
    size_t i = home_of(table, block->number);
    while (table->slots[i].number != 0) {
        i = after(table, i);
    }
    table->slots[i] = *block;
}

static void grow(struct block_table *table)
{
    struct block_table old = *table;
    table->capacity = old.capacity > 0 ? 2 * old.capacity : CAPACITY_FIRST;
    table->slots = mem_alloc(table->capacity * sizeof *table->slots);
    for (size_t i = 0; i < old.capacity; i++) {
        if (old.slots[i].number != 0) {
            put(table, &old.slots[i]);
        }
    }
    free(old.slots);
}

bool block_table_add(struct block_table *table, const struct block *block)
{
    if (table->count == BLOCK_TABLE_MAX) {
        return false;
    }
    if (2 * (table->count + 1) > table->capacity) {
        grow(table);
    }
    put(table, block);
    table->count++;
    return true;
}

// Those behind it that would no longer be found move up: no marks of what once was stay behind.
void block_table_remove(struct block_table *table, struct block *block)
{
    size_t gap = (size_t)(block - table->slots);
    for (size_t i = after(table, gap); table->slots[i].number != 0; i = after(table, i)) {
        size_t home = home_of(table, table->slots[i].number);
        size_t mask = table->capacity - 1;
        if (((i - home) & mask) >= ((i - gap) & mask)) {
            table->slots[gap] = table->slots[i];
            gap = i;
        }
    }
    table->slots[gap] = (struct block){0};
    table->count--;
}

void block_table_clear(struct block_table *table)
{
    free(table->slots);
    *table = (struct block_table){0};
}
