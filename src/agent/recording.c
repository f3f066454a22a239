// SPDX-License-Identifier: Apache-2.0
#include "agent/recording.h"

#include <errno.h>

#include "agent/allocation.h"
#include "agent/clock.h"
#include "agent/session.h"
#include "agent/thread.h"

#define TIMED_STAYS 64

bool recording_begin(struct recording *recording)
{
    struct thread *thread = &thread_self;
    if (allocation_self.is_busy || thread->is_busy) {
        return false;
    }
    recording->saved_errno = errno;
    allocation_self.is_busy = true;
    thread->is_busy = true;
    recording->is_timed = thread->call_number++ % TIMED_STAYS == 0;
    if (recording->is_timed) {
        uint64_t before_ns = clock_cpu_ns();
        recording->began_ns = clock_cpu_ns();
        recording->clock_ns = recording->began_ns - before_ns;
    }
    return true;
}

void recording_end(const struct recording *recording)
{
    if (recording->is_timed) {
        uint64_t taken_ns = clock_cpu_ns() - recording->began_ns;
        taken_ns = taken_ns > recording->clock_ns ? taken_ns - recording->clock_ns : 0;
        session_count(COUNTER_memory_ns, taken_ns * TIMED_STAYS);
    }
    allocation_self.is_busy = false;
    thread_leave(&thread_self);
    errno = recording->saved_errno;
}
