// SPDX-License-Identifier: Apache-2.0

// usage: stress_live_table SECONDS: threads put addresses in and take out each other's, while one
// thins. Nothing may be found twice, lost, or with another's contents.

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "agent/live_table.h"

#define THREADS   4
#define ADDRESSES 4096u // shared by all: each is owned by whoever takes its flag
#define FIRST     ((uintptr_t)0x7f0000000000)

static _Atomic unsigned char owner[ADDRESSES]; // 0: free, 1: somebody's, 2: in the table
static uint64_t number_of[ADDRESSES];
static _Atomic uint64_t last_number;
static _Atomic uint64_t put_count;
static _Atomic uint64_t gone_count;
static _Atomic int is_over;

static void *address_of(unsigned index)
{
    return (void *)(FIRST + (uintptr_t)index * 16);
}

static void fail(const char *what, unsigned index)
{
    printf("%s: address %u\n", what, index);
    exit(1);
}

static void count_gone(struct live_slot *slot)
{
    live_slot_release(slot);
    atomic_fetch_add(&gone_count, 1);
}

static void put(unsigned index)
{
    struct live_slot *slot = live_table_claim(address_of(index));
    if (!slot) {
        owner[index] = 0;
        return;
    }
    uint64_t number = atomic_fetch_add(&last_number, 1) + 1;
    number_of[index] = number;
    *live_slot_block(slot) = (struct live_block){.number = number, .weight = number * 3};
    live_slot_publish(slot, address_of(index));
    atomic_fetch_add(&put_count, 1);
    atomic_store(&owner[index], 2);
}

// The thinner may have it just then, or have dropped it: both count it themselves.
static void take(unsigned index)
{
    struct live_slot *slot =
        live_table_may_have(address_of(index)) ? live_table_take(address_of(index)) : NULL;
    if (slot) {
        struct live_block *block = live_slot_block(slot);
        if (block->number != number_of[index] || block->weight % 3 != 0) {
            fail("another's contents", index);
        }
        count_gone(slot);
    }
    atomic_store(&owner[index], 0);
}

static void *work(void *argument)
{
    unsigned random = (unsigned)(uintptr_t)argument * 2654435761u + 1;
    while (!atomic_load(&is_over)) {
        random = random * 1664525u + 1013904223u;
        unsigned index = (random >> 12) % ADDRESSES;
        unsigned char expected = random >> 31 ? 0 : 2;
        if (atomic_compare_exchange_strong(&owner[index], &expected, 1)) {
            if (expected == 0) {
                put(index);
            } else {
                take(index);
            }
        }
    }
    return NULL;
}

static void *thin(void *unused)
{
    (void)unused;
    for (unsigned round = 0; !atomic_load(&is_over); round++) {
        for (unsigned i = 0; i < LIVE_SLOTS; i++) {
            struct live_slot *slot = live_table_hold(i);
            if (!slot) {
                continue;
            }
            live_slot_block(slot)->weight += 3;
            if ((i + round) % 16 == 0) {
                live_slot_drop(slot);
                atomic_fetch_add(&gone_count, 1);
            } else if (!live_slot_unhold(slot)) {
                count_gone(slot);
            }
        }
    }
    return NULL;
}

int main(int argument_count, char **arguments)
{
    pthread_t threads[THREADS + 1];
    for (uintptr_t i = 0; i <= THREADS; i++) {
        pthread_create(&threads[i], NULL, i < THREADS ? work : thin, (void *)i);
    }
    struct timespec duration = {argument_count > 1 ? atoi(arguments[1]) : 2, 0};
    nanosleep(&duration, NULL);
    atomic_store(&is_over, 1);
    for (int i = 0; i <= THREADS; i++) {
        pthread_join(threads[i], NULL);
    }
    for (unsigned i = 0; i < ADDRESSES; i++) {
        take(i);
    }
    if (put_count != gone_count || live_table_count() != 0) {
        printf("%lu put, %lu gone, %u left\n", put_count, gone_count, live_table_count());
        return 1;
    }
    for (unsigned i = 0; i < LIVE_FILTER_SIZE; i++) {
        if (live_table.filter[i] != 0) {
            fail("the filter still says perhaps", i);
        }
    }
    printf("%lu put and gone\n", put_count);
    return 0;
}
