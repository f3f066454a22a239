// SPDX-License-Identifier: Apache-2.0
#include "agent/session.h"

#include <stdio.h>
#include <string.h>

#include "agent/clock.h"
#include "agent/process.h"
#include "agent/syscall.h"

struct session session;

// One thread makes the ring while others, or a handler of its own, find it not ready yet.
enum ring_state { RING_ABSENT, RING_BEING_MADE, RING_READY, RING_IMPOSSIBLE };

static struct ring ring;
static _Atomic int ring_state;

bool session_start(const char *run_dir)
{
    size_t len = strlen(run_dir);
    if (len + sizeof "/4294967295.4294967295" > sizeof session.run_dir) {
        return false;
    }
    session.control = control_open(run_dir);
    if (!session.control) {
        return false;
    }
    memcpy(session.run_dir, run_dir, len + 1);
    session.pid = raw_getpid();
    session.period_ns = session.control->period_ns ? session.control->period_ns : 10000000;
    session.has_stacks = session.control->flags & CONTROL_STACKS;
    session.has_waits = session.control->flags & CONTROL_WAITS;
    session.has_memory = session.control->flags & CONTROL_MEMORY;
    return true;
}

void session_forked(void)
{
    session.pid = raw_getpid();
    session.is_forked = true;
    session.program_number = 0;
    session.foreign_cpu_ns = 0;
    session.generation++;
    if (atomic_load(&ring_state) == RING_READY) {
        ring_close(&ring);
    }
    atomic_store(&ring_state, RING_ABSENT);
}

static void ring_path(char *path, size_t size)
{
    snprintf(path, size, "%s/%d.%u", session.run_dir, session.pid, session.program_number);
}

// A ring of this process's name is that of the program it was before exec: the next number.
static bool make_ring(void)
{
    char path[SESSION_PATH_MAX + 32];
    ring_path(path, sizeof path);
    while (raw_faccess(path) == 0 && session.program_number < 1000) {
        session.program_number++;
        ring_path(path, sizeof path);
    }
    return ring_create(&ring, path, session.control->ring_bytes);
}

struct ring *session_ring(void)
{
    int state = atomic_load_explicit(&ring_state, memory_order_acquire);
    if (state == RING_READY) {
        return &ring;
    }
    int expected = RING_ABSENT;
    if (state != RING_ABSENT ||
        !atomic_compare_exchange_strong(&ring_state, &expected, RING_BEING_MADE)) {
        return NULL;
    }
    if (!make_ring()) {
        atomic_fetch_add(&session.control->refusals[REFUSAL_no_room], 1);
        atomic_store(&ring_state, RING_IMPOSSIBLE);
        atomic_store(&session.is_active, false);
        return NULL;
    }
    if (session.program_number > 0) {
        session.foreign_cpu_ns = clock_cpu_ns();
    }
    atomic_store_explicit(&ring_state, RING_READY, memory_order_release);
    process_introduce(&ring);
    return &ring;
}

bool session_has_ring(void)
{
    return atomic_load_explicit(&ring_state, memory_order_acquire) == RING_READY;
}

bool session_is_on(void)
{
    return atomic_load_explicit(&session.control->is_on, memory_order_relaxed);
}

void session_count(enum ring_counter counter, uint64_t amount)
{
    if (session_has_ring()) {
        ring_count(&ring, counter, amount);
    }
}
