// SPDX-License-Identifier: Apache-2.0
#define SCALENE_COUNTS_CYCLES 1 // as the build says that has this file; for who reads it alone
#include "agent/cycles.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "agent/clock.h"

#define PLACES 512 // more than twice as many as there are

// A reading that long has another thread's time in it, not ours.
#define LONGEST_CYCLES 3000000u

struct place {
    _Atomic uintptr_t address;
    _Atomic uint64_t calls;
    _Atomic uint64_t cycles;
};

extern const char __ehdr_start[]
    __attribute__((visibility("hidden"))); // where the agent's file lies

static struct place places[PLACES];
static uint64_t first_cycles;
static uint64_t first_ns;

__attribute__((constructor)) static void start(void)
{
    first_ns = clock_wall_ns();
    first_cycles = clock_cycles();
}

static struct place *find(uintptr_t address)
{
    for (size_t i = 0; i < PLACES; i++) {
        struct place *place = &places[(address / 4 + i) % PLACES];
        uintptr_t found = 0;
        if (atomic_compare_exchange_strong(&place->address, &found, address) || found == address) {
            return place;
        }
    }
    return NULL;
}

struct cycles_scope cycles_begin(uintptr_t place)
{
    return (struct cycles_scope){place, clock_cycles()};
}

void cycles_end(const struct cycles_scope *scope)
{
    uint64_t cycles = clock_cycles() - scope->begin;
    struct place *place = cycles < LONGEST_CYCLES ? find(scope->place) : NULL;
    if (place) {
        atomic_fetch_add_explicit(&place->calls, 1, memory_order_relaxed);
        atomic_fetch_add_explicit(&place->cycles, cycles, memory_order_relaxed);
    }
}

// The file's rows, and its first one: 0, cycles a second, 0.
struct row {
    uint64_t offset;
    uint64_t calls;
    uint64_t cycles;
};

static void write_row(int fd, struct row row)
{
    raw_syscall4(SYS_write, fd, (long)&row, sizeof row, 0);
}

void cycles_write(void)
{
    const char *path = getenv("SCALENE_CYCLES");
    int fd =
        path ? raw_openat(AT_FDCWD, path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600) : -1;
    if (fd < 0) {
        return;
    }
    uint64_t cycles = clock_cycles() - first_cycles;
    uint64_t ns = clock_wall_ns() - first_ns;
    write_row(fd, (struct row){0, (uint64_t)((double)cycles / (double)ns * 1e9), 0});
    for (size_t i = 0; i < PLACES; i++) {
        if (places[i].calls) {
            write_row(fd, (struct row){places[i].address - (uintptr_t)__ehdr_start, places[i].calls,
                                       places[i].cycles});
        }
    }
    raw_close(fd);
}
