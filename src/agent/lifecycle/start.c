// SPDX-License-Identifier: Apache-2.0

// How the agent comes into a process and leaves it. Only here may it allocate or hold the GIL.

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "agent/allocation.h"
#include "agent/cpu_sampler.h"
#include "agent/cpython/allocators.h"
#include "agent/cpython/audit.h"
#include "agent/cpython/interpreter.h"
#include "agent/footprint.h"
#include "agent/hook.h"
#include "agent/probe.h"
#include "agent/process.h"
#include "agent/real.h"
#include "agent/region_table.h"
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
    if (session.has_memory) {
        allocators_install();
        allocation_start();
    }
    thread->is_busy = was_busy;
}

static void on_fork(void)
{
    if (atomic_load(&session.is_active)) {
        session_forked();
        thread_forked();
        footprint_forked();
        allocation_forked();
        region_table_forked();
    }
}

// `stack_end`: 0 when nothing is known of the calling thread's stack.
static void join_run(uintptr_t stack_end)
{
    if (!session_ring() || !cpu_sampler_install()) {
        return;
    }
    audit_install(on_python_start);
    pthread_atfork(NULL, NULL, on_fork);
    atomic_store(&session.is_active, true);
    thread_begin(NULL, stack_end);
}

// A program may load Python as a library when it likes. It is there by the time that its first
// module is opened, and can still be joined before it runs a line.
static void look_again(const char *path)
{
    static atomic_bool is_looking;
    struct probe probe = {0};
    if (!probe_is_readable(&probe, (uintptr_t)path, 1)) {
        return;
    }
    size_t len = strlen(path);
    bool is_module = len > 4 && strcmp(path + len - 4, ".pyc") == 0;
    if (!is_module || atomic_exchange(&is_looking, true)) {
        return;
    }
    if (interpreter_find()) {
        hook_on_open = NULL;
        join_run(0);
    }
    atomic_store(&is_looking, false);
}

// Constructors get the program's arguments from the loader; they lie above all stack frames.
__attribute__((constructor)) static void start(int argument_count, char **arguments,
                                               char **environment)
{
    (void)argument_count;
    (void)arguments;
    const char *run_dir = getenv(CONTROL_DIR_VARIABLE);
    if (!run_dir || !session_start(run_dir)) {
        return;
    }
    real_resolve();
    if (interpreter_find()) {
        join_run((uintptr_t)environment);
    } else {
        hook_on_open = look_again;
    }
}

__attribute__((destructor)) static void stop(void)
{
    process_end(false);
}
