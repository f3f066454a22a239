// SPDX-License-Identifier: Apache-2.0

#include "agent/lifecycle/start.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "agent/allocation.h"
#include "agent/await_sums.h"
#include "agent/await_work.h"
#include "agent/cpu_sampler.h"
#include "agent/cpython/allocators.h"
#include "agent/cpython/audit.h"
#include "agent/cpython/builtins.h"
#include "agent/cpython/coroutine.h"
#include "agent/cpython/coroutine_step.h"
#include "agent/cpython/interpreter.h"
#include "agent/footprint.h"
#include "agent/hook.h"
#include "agent/probe.h"
#include "agent/process.h"
#include "agent/real.h"
#include "agent/region_table.h"
#include "agent/session.h"
#include "agent/thread.h"
#include "agent/timer_list.h"

static int exit_status;

static void on_program_exit(int status, void *unused)
{
    (void)unused;
    exit_status = status;
}

// Last come, first called: set any earlier, it would come after our own destructor.
static void watch_exit(void)
{
    static atomic_bool is_watching;
    if (!atomic_exchange(&is_watching, true)) {
        on_exit(on_program_exit, NULL);
    }
}

void start_python(void)
{
    struct thread *thread = &thread_self;
    bool was_busy = thread->is_busy;
    thread->is_busy = true;
    if (audit_stays()) {
        interpreter.flags |= INTERPRETER_HOOK_STAYS;
    }
    interpreter_learn();
    process_send_modules();
    builtins_install();
    watch_exit();
    if (session.has_async) {
        coroutine_install();
    }
    if (session.has_memory) {
        allocators_install();
        allocation_start();
    }
    thread->is_busy = was_busy;
}

static void on_fork(void)
{
    timer_list_forked();
    if (!atomic_load(&session.is_active)) {
        return;
    }
    session_forked();
    await_sums_forget();
    await_work_forget();
    coroutine_step_forked();
    if (!session_takes_part()) { // before its clocks run: a sample would make it a ring
        session_retire();
        thread_retire();
        allocation_is_on = false;
        return;
    }
    thread_forked();
    footprint_forked();
    allocation_forked();
    region_table_forked();
}

static void before_fork(void)
{
    footprint_before_fork();
    session_before_fork();
    thread_before_fork();
}

static void after_fork(void)
{
    session_after_fork();
    thread_after_fork();
}

void start_watch_forks(void)
{
    static atomic_bool is_watching;
    if (!atomic_exchange(&is_watching, true)) {
        pthread_atfork(before_fork, after_fork, on_fork);
    }
}

// `stack_end`: 0 when nothing is known of the calling thread's stack.
static void join_run(uintptr_t stack_end)
{
    if (!session_ring() || !cpu_sampler_install()) {
        return;
    }
    audit_install(start_python);
    start_watch_forks();
    atomic_fetch_add(&thread_session, 1);
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
    if (!session_takes_part()) {
        return;
    }
    if (interpreter_find()) {
        join_run((uintptr_t)environment);
    } else {
        hook_on_open = look_again;
        roll_leave(&session.control->roll, session.pid);
    }
}

__attribute__((destructor)) static void stop(void)
{
    process_end(exit_status);
}
