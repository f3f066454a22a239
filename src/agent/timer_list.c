// SPDX-License-Identifier: Apache-2.0
#include "agent/timer_list.h"

#include <stdatomic.h>
#include <string.h>

#include "agent/hidden_signal.h"

#define SLOT_COUNT 65536u // the kernel numbers timers one after the other: few share a place
#define PROBE_MAX  64u
#define PAGE_SIZE  4096

// A timer's number plus one; 0: free.
static _Alignas(PAGE_SIZE) _Atomic int slots[SLOT_COUNT];
static atomic_bool is_used;

static bool replace(struct raw_timer timer, int from, int to)
{
    for (unsigned i = 0; i < PROBE_MAX; i++) {
        int expected = from;
        if (atomic_compare_exchange_strong(&slots[((unsigned)timer.id + i) % SLOT_COUNT], &expected,
                                           to)) {
            return true;
        }
    }
    return false;
}

bool timer_list_make(struct raw_timer *timer, clockid_t clock, int tid, void *cookie)
{
    struct sigevent event = {0};
    event.sigev_notify = SIGEV_THREAD_ID;
    event.sigev_signo = HIDDEN_SIGNAL;
    event.sigev_value.sival_ptr = cookie;
    event._sigev_un._tid = tid;
    if (raw_timer_create(clock, &event, timer) != 0) {
        return false;
    }
    atomic_store_explicit(&is_used, true, memory_order_relaxed);
    if (!replace(*timer, 0, timer->id + 1)) {
        raw_timer_delete(*timer);
        return false;
    }
    return true;
}

void timer_list_remove(struct raw_timer timer)
{
    if (replace(timer, timer.id + 1, 0)) {
        raw_timer_delete(timer);
    }
}

void timer_list_remove_all(void)
{
    for (unsigned i = 0; i < SLOT_COUNT; i++) {
        if (atomic_load_explicit(&slots[i], memory_order_relaxed) != 0) {
            int number = atomic_exchange(&slots[i], 0);
            if (number != 0) {
                raw_timer_delete((struct raw_timer){number - 1});
            }
        }
    }
}

// Given back to the kernel, the pages are zeros again and cost nothing.
void timer_list_forked(void)
{
    if (atomic_exchange(&is_used, false) &&
        raw_madvise((void *)slots, sizeof slots, MADV_DONTNEED) != 0) {
        memset((void *)slots, 0, sizeof slots);
    }
}
