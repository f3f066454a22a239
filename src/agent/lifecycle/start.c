// SPDX-License-Identifier: Apache-2.0

// How the agent comes into a process and leaves it. Only here may it allocate or hold the GIL.

#include <pthread.h>
#include <stdlib.h>

#include "agent/cpu_sampler.h"
#include "agent/cpython/audit.h"
#include "agent/cpython/interpreter.h"
#include "agent/process.h"
#include "agent/real.h"
#include "agent/session.h"
#include "agent/thread.h"

static void on_python_start(void)
{
    struct thread *thread = &thread_self;
    bool was_busy = thread->is_busy;
    thread->is_busy = true;
    if (audit_stays()) {
        interpreter.flags |= INTERPRETER_HOOK_STAYS;
    }
    interpreter_learn();
    process_send_modules();
    thread->is_busy = was_busy;
}

static void on_fork(void)
{
    if (atomic_load(&session.is_active)) {
        session_forked();
        thread_forked();
    }
}

// Constructors get the program's arguments from the loader; they lie above all stack frames.
__attribute__((constructor)) static void start(int argument_count, char **arguments,
                                               char **environment)
{
    (void)argument_count;
    (void)arguments;
    const char *run_dir = getenv(CONTROL_DIR_VARIABLE);
    if (!run_dir || !interpreter_find() || !session_start(run_dir)) {
        return;
    }
    real_resolve();
    if (!session_ring() || !cpu_sampler_install()) {
        return;
    }
    audit_install(on_python_start);
    pthread_atfork(NULL, NULL, on_fork);
    atomic_store(&session.is_active, true);
    thread_begin(NULL, (uintptr_t)environment);
}

__attribute__((destructor)) static void stop(void)
{
    process_end(false);
}
