// SPDX-License-Identifier: Apache-2.0
#include "agent/footprint.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "agent/clock.h"
#include "agent/session.h"
#include "agent/vfork_child.h"

#define WORTH_BYTES     65536          // a smaller change is not recorded
#define WORTH_PART      100            // nor one by less than this part
#define PEAK_PART       256            // the same for a peak
#define REPORT_INTERVAL (10 * 1000000) // ns from one record to the next, peaks apart

// What a thread that has ended appears to owe: so far off that each change is settled at once.
#define ENDED_BASE ((int64_t)1 << 56)

_Thread_local int64_t footprint_owed __attribute__((tls_model("initial-exec")));
static _Thread_local int64_t owed_base __attribute__((tls_model("initial-exec")));

// What is told beside the footprint: now, and the highest that was told.
struct apart {
    _Atomic int64_t bytes;
    _Atomic int64_t told_peak;
};

static struct {
    _Atomic int64_t bytes;
    _Atomic int64_t peak;
    struct apart file;
    struct apart shared;
    _Atomic int64_t told_bytes; // as of the last record
    _Atomic int64_t told_peak;
    _Atomic uint64_t told_ns;
} sum;

static bool differs(int64_t bytes, int64_t told, int64_t part)
{
    int64_t change = bytes > told ? bytes - told : told - bytes;
    int64_t worth = told / part;
    return change > (worth > WORTH_BYTES ? worth : WORTH_BYTES);
}

static bool can_tell(void)
{
    return session.has_memory && atomic_load_explicit(&session.is_active, memory_order_relaxed) &&
           session_has_ring() && !vfork_child_runs;
}

static void tell(int64_t bytes, uint64_t now_ns)
{
    struct ring *ring = session_ring();
    struct record_footprint *record =
        ring ? ring_reserve(ring, RECORD_FOOTPRINT, sizeof *record) : NULL;
    if (!record) {
        session_count(COUNTER_dropped_full, 1);
        return;
    }
    record->time_ns = now_ns;
    record->bytes = bytes;
    record->peak_bytes = atomic_load(&sum.peak);
    record->file_bytes = atomic_load(&sum.file.bytes);
    record->shared_bytes = atomic_load(&sum.shared.bytes);
    atomic_store(&sum.told_bytes, bytes);
    atomic_store(&sum.told_peak, record->peak_bytes);
    atomic_store(&sum.told_ns, now_ns);
    ring_commit(record);
}

static void raise_peak(int64_t bytes)
{
    int64_t peak = atomic_load_explicit(&sum.peak, memory_order_relaxed);
    while (bytes > peak && !atomic_compare_exchange_weak(&sum.peak, &peak, bytes)) {
    }
}

// A peak counts as new when it is higher by what is worth a record: a program that climbs in small
// steps up and down does not write one a step.
static void tell_peak(int64_t bytes)
{
    int64_t told = atomic_load_explicit(&sum.told_peak, memory_order_relaxed);
    if (bytes > told && differs(bytes, told, PEAK_PART) && can_tell()) {
        tell(bytes, clock_wall_ns());
    }
}

static void tell_change(int64_t bytes)
{
    if (!differs(bytes, atomic_load_explicit(&sum.told_bytes, memory_order_relaxed), WORTH_PART) ||
        !can_tell()) {
        return;
    }
    uint64_t now = clock_wall_ns();
    if (now - atomic_load_explicit(&sum.told_ns, memory_order_relaxed) > REPORT_INTERVAL) {
        tell(bytes, now);
    }
}

// Returns what the process holds.
static int64_t settle(void)
{
    int64_t owed = handler_safe_set(&footprint_owed, owed_base) - owed_base;
    int64_t before = atomic_fetch_add_explicit(&sum.bytes, owed, memory_order_relaxed);
    if (owed < 0) {
        tell_peak(before);
    } else {
        raise_peak(before + owed);
    }
    return before + owed;
}

void footprint_settle(void)
{
    int saved_errno = errno;
    tell_change(settle());
    errno = saved_errno;
}

void footprint_before_fall(void)
{
    tell_peak(settle());
}

void footprint_before_fork(void)
{
    int saved_errno = errno;
    int64_t bytes = settle();
    int64_t told = atomic_load_explicit(&sum.told_bytes, memory_order_relaxed);
    if (differs(bytes, told, WORTH_PART) && can_tell()) {
        tell(bytes, clock_wall_ns());
    }
    errno = saved_errno;
}

void footprint_thread_ends(void)
{
    footprint_settle();
    owed_base = ENDED_BASE;
    footprint_owed = ENDED_BASE;
}

void footprint_report(void)
{
    if (can_tell()) {
        int64_t bytes = settle();
        tell_peak(bytes);
        tell(bytes, clock_wall_ns());
    }
}

// Each new peak is told as it is reached: by steps that are worth it these are few.
static void add_apart(struct apart *apart, int64_t bytes)
{
    int saved_errno = errno;
    int64_t now = atomic_fetch_add_explicit(&apart->bytes, bytes, memory_order_relaxed) + bytes;
    int64_t told = atomic_load_explicit(&apart->told_peak, memory_order_relaxed);
    if (now > told && differs(now, told, PEAK_PART) && can_tell()) {
        atomic_store_explicit(&apart->told_peak, now, memory_order_relaxed);
        tell(settle(), clock_wall_ns());
    }
    errno = saved_errno;
}

void footprint_add_file(int64_t bytes)
{
    add_apart(&sum.file, bytes);
}

void footprint_add_shared(int64_t bytes)
{
    add_apart(&sum.shared, bytes);
}

void footprint_forked(void)
{
    footprint_owed = owed_base;
    atomic_store(&sum.bytes, 0);
    atomic_store(&sum.peak, 0);
    atomic_store(&sum.file.bytes, 0);
    atomic_store(&sum.file.told_peak, 0);
    atomic_store(&sum.shared.bytes, 0);
    atomic_store(&sum.shared.told_peak, 0);
    atomic_store(&sum.told_bytes, 0);
    atomic_store(&sum.told_peak, 0);
    atomic_store(&sum.told_ns, 0);
}
