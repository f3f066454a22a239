// SPDX-License-Identifier: Apache-2.0
#include "agent/lifecycle/live.h"

#include <errno.h>
#include <stdatomic.h>

#include "agent/allocation.h"
#include "agent/await_sums.h"
#include "agent/await_work.h"
#include "agent/clock.h"
#include "agent/cpu_sampler.h"
#include "agent/cpython/allocators.h"
#include "agent/cpython/coroutine.h"
#include "agent/cpython/interpreter.h"
#include "agent/footprint.h"
#include "agent/hidden_signal.h"
#include "agent/lifecycle/live_hooks.h"
#include "agent/lifecycle/live_launch.h"
#include "agent/lifecycle/live_threads.h"
#include "agent/lifecycle/start.h"
#include "agent/process.h"
#include "agent/real.h"
#include "agent/region_table.h"
#include "agent/session.h"
#include "agent/thread.h"
#include "agent/timer_list.h"

#define END_WITHIN_MS 10000

int scalene_agent_is_active(void)
{
    return atomic_load(&session.is_active) && session_is_on();
}

int scalene_agent_launch(char *const *arguments, char *const *environment, char *reply, size_t size)
{
    return live_launch(arguments, environment, reply, size);
}

// What is left of another session, or of the parent's before a fork.
static void forget(void)
{
    await_sums_forget();
    await_work_forget();
    footprint_forked();
    allocation_forget();
    region_table_forget();
}

// The child of a fork whose parent's run is over takes leave of that first.
static void leave_run(void)
{
    atomic_store(&session.is_active, false);
    atomic_fetch_add(&thread_session, 1);
    allocation_is_on = false;
    timer_list_remove_all();
}

static enum live_status join(const char *run_dir)
{
    if (!session_start_live(run_dir)) {
        return LIVE_NO_RUN;
    }
    real_resolve();
    if (!interpreter_find()) {
        return LIVE_NO_PYTHON;
    }
    forget();
    if (!session_ring()) {
        return LIVE_NO_ROOM;
    }
    if (!cpu_sampler_install()) {
        return LIVE_NO_SIGNAL;
    }
    return live_hooks_install() ? LIVE_OK : LIVE_NO_HOOKS;
}

// Hooks come first: a thread that is made before they are there is listed by the kernel after.
int scalene_agent_start(const char *run_dir)
{
    if (scalene_agent_is_active()) {
        return LIVE_IS_BUSY;
    }
    int saved_errno = errno;
    if (atomic_load(&session.is_active)) {
        leave_run();
    }
    enum live_status status = join(run_dir);
    if (status == LIVE_OK) {
        start_watch_forks();
        atomic_fetch_add(&thread_session, 1);
        atomic_store(&session.is_active, true);
        thread_join(clock_cpu_ns());
        start_python();
        live_threads_call();
    }
    errno = saved_errno;
    return (int)status;
}

static void end_session(void)
{
    coroutine_remove();
    allocators_remove();
    process_end(false);
    atomic_store(&session.control->is_on, 0);
    leave_run();
    live_hooks_remove(!hidden_signal_uninstall());
    atomic_store(&session.control->stage, CONTROL_IS_TO_END);
}

int scalene_agent_stop(void)
{
    if (!atomic_load(&session.is_active) || !session.is_live || raw_getpid() != session.pid) {
        return LIVE_NO_RUN;
    }
    int saved_errno = errno;
    end_session();
    errno = saved_errno;
    return LIVE_OK;
}

int scalene_agent_stage(void)
{
    int pid = session.control->owner_pid;
    int stage = (int)atomic_load(&session.control->stage);
    bool is_gone = stage < CONTROL_IS_SAVED && raw_kill(pid, 0) == -ESRCH;
    // It may have answered and ended between the two.
    return is_gone && atomic_load(&session.control->stage) < CONTROL_IS_SAVED ? -1 : stage;
}

// Where orphans come to the program, or else there is none to wait for. It is nearly at its end,
// but may have to wait for a core.
static void await_end_of(int collector)
{
    for (int i = 0; i < END_WITHIN_MS && live_launch_reap(collector); i++) {
        raw_sleep_us(1000);
    }
}

void scalene_agent_dismiss(void)
{
    if (!session.control) {
        return;
    }
    int pid = session.control->owner_pid;
    atomic_store(&session.control->stage, CONTROL_IS_OVER);
    session_bury();
    await_end_of(pid);
}
