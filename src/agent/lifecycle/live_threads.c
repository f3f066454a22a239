// SPDX-License-Identifier: Apache-2.0
#include "agent/lifecycle/live_threads.h"

#include <stdatomic.h>
#include <stdbool.h>

#include "agent/clock.h"
#include "agent/cpu_sampler.h"
#include "agent/hidden_signal.h"
#include "agent/lifecycle/thread_start.h"
#include "agent/session.h"
#include "agent/thread.h"
#include "agent/thread_directory.h"

#define THREAD_MAX 4096

static struct stranger {
    int tid;
    uint64_t cpu_ns; // at the beginning of the session
} strangers[THREAD_MAX];

static _Atomic unsigned stranger_count;

static void note(int tid, void *unused)
{
    (void)unused;
    clockid_t clock = (clockid_t)((~(unsigned)tid << 3) | 6); // as pthread_getcpuclockid makes it
    struct timespec time;
    unsigned count = atomic_load_explicit(&stranger_count, memory_order_relaxed);
    if (tid == thread_self.tid || raw_clock_gettime(clock, &time) != 0) {
        return;
    }
    if (count < THREAD_MAX) {
        strangers[count] = (struct stranger){tid, clock_to_ns(time)};
        atomic_store_explicit(&stranger_count, count + 1, memory_order_release);
    }
    if (!cpu_sampler_call(tid)) {
        session_count(COUNTER_threads_untimed, 1);
    }
}

// One that is not noted was made past our hook of pthread_create, after the session began.
static uint64_t used_before(int tid)
{
    unsigned count = atomic_load_explicit(&stranger_count, memory_order_acquire);
    for (unsigned i = 0; i < count; i++) {
        if (strangers[i].tid == tid) {
            return strangers[i].cpu_ns;
        }
    }
    return 0;
}

// In the handler the kernel has the signal blocked, and nothing may be allocated: that the thread
// ends will not be seen, and what it uses after its last sample is the process's.
static bool meet(bool is_in_handler)
{
    if (!atomic_load(&session.is_active) || raw_getpid() != session.pid) {
        return false;
    }
    if (!is_in_handler) {
        hidden_signal_thread_inherit(hidden_signal_is_blocked());
    }
    thread_join(used_before(raw_gettid()));
    if (!is_in_handler) {
        thread_start_watch_end();
    }
    return true;
}

void live_threads_call(void)
{
    atomic_store(&stranger_count, 0);
    thread_on_stranger = meet;
    thread_directory_visit(note, NULL);
}
