// SPDX-License-Identifier: Apache-2.0

// The hooks and the hidden signal without the rest of the agent: an agent for tests, to be
// preloaded. It adds up what is measured, and sends every thread its signal at each millisecond of
// CPU time, which nobody may notice.

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

#include "agent/descriptor.h"
#include "agent/exec_plan.h"
#include "agent/exec_target.h"
#include "agent/hidden_signal.h"
#include "agent/hook.h"
#include "agent/syscall.h"
#include "agent/vfork_child.h"

#define TICK_NS 1000000

static __thread unsigned long waited_ns[WAIT_KIND_COUNT];
static atomic_bool is_started;
static char cookie;

// What this thread has waited for, by kind, in ns.
HOOK const unsigned long *hook_agent_waits(void);

const unsigned long *hook_agent_waits(void)
{
    return waited_ns;
}

static uint64_t read_clock(clockid_t clock)
{
    struct timespec time;
    raw_clock_gettime(clock, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

bool wait_is_measured(void)
{
    return is_started && !vfork_child_runs;
}

void wait_begin_for(struct wait_scope *scope, bool may_work_long)
{
    bool is_measured = wait_is_measured();
    scope->begin_ns = is_measured ? read_clock(CLOCK_MONOTONIC) : 0;
    scope->cpu_begin_ns = is_measured && may_work_long ? read_clock(CLOCK_THREAD_CPUTIME_ID) : 0;
}

static void add(const struct wait_scope *scope, enum wait_kind kind)
{
    uint64_t duration = read_clock(CLOCK_MONOTONIC) - scope->begin_ns;
    if (scope->cpu_begin_ns != 0) {
        uint64_t computed = read_clock(CLOCK_THREAD_CPUTIME_ID) - scope->cpu_begin_ns;
        duration = duration > computed ? duration - computed : 0;
    }
    waited_ns[kind] += duration;
}

void wait_end(const struct wait_scope *scope, enum wait_kind kind)
{
    if (scope->begin_ns != 0) {
        add(scope, kind);
    }
}

void wait_end_fd(const struct wait_scope *scope, int fd)
{
    wait_end(scope, scope->begin_ns != 0 ? descriptor_kind(fd) : WAIT_OTHER);
}

void wait_end_lock(const struct wait_scope *scope, const void *lock)
{
    (void)lock;
    wait_end(scope, WAIT_LOCK);
}

void wait_end_lazily(const struct wait_scope *scope, enum wait_kind (*kind_of)(const void *),
                     const void *argument)
{
    if (scope->begin_ns != 0) {
        wait_end(scope, kind_of(argument));
    }
}

static void on_signal(int number, siginfo_t *info, void *context)
{
    if (info->si_code != SI_TIMER || info->si_value.sival_ptr != &cookie) {
        hidden_signal_forward(number, info, context);
    }
}

static void start_ticking(void)
{
    struct raw_timer timer;
    struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = HIDDEN_SIGNAL};
    struct itimerspec period = {{0, TICK_NS}, {0, TICK_NS}};
    event.sigev_value.sival_ptr = &cookie;
    event._sigev_un._tid = raw_gettid();
    if (raw_timer_create(CLOCK_THREAD_CPUTIME_ID, &event, &timer) == 0) {
        raw_timer_settime(timer, 0, &period, NULL);
    }
}

struct start_order {
    void *(*start)(void *);
    void *argument;
    bool is_blocked;
};

static void *run(void *argument)
{
    struct start_order order = *(struct start_order *)argument;
    free(argument);
    hidden_signal_thread_inherit(order.is_blocked);
    start_ticking();
    return order.start(order.argument);
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *),
                   void *argument)
{
    struct start_order *order = malloc(sizeof *order);
    *order = (struct start_order){start, argument, hidden_signal_is_blocked()};
    return REAL(pthread_create)(thread, attributes, run, order);
}

// No run: every program is started as asked.
void exec_plan_make(struct exec_plan *plan, int directory, const char *path, int flags,
                    char *const environment[], bool is_new)
{
    (void)directory;
    (void)flags;
    (void)environment;
    (void)is_new;
    *plan = (struct exec_plan){.path = path};
}

int exec_plan_act(const struct exec_plan *plan, char *const environment[], exec_action *act,
                  const void *call)
{
    (void)plan;
    return act(call, environment);
}

void exec_plan_enter_child(const struct exec_plan *plan, int pid)
{
    (void)plan;
    (void)pid;
}

const char *exec_target_search(const char *name, char buf[EXEC_PATH_MAX])
{
    (void)buf;
    return name;
}

// The whole agent hooks these as well, in its own words.
HOOK int execve(const char *path, char *const arguments[], char *const environment[]);

int execve(const char *path, char *const arguments[], char *const environment[])
{
    hidden_signal_before_exec();
    long status = raw_syscall4(SYS_execve, (long)path, (long)arguments, (long)environment, 0);
    hidden_signal_after_failed_exec();
    errno = (int)-status;
    return -1;
}

__attribute__((constructor)) static void start_agent(void)
{
    pthread_atfork(NULL, NULL, start_ticking);
    if (hidden_signal_install(on_signal)) {
        start_ticking();
        is_started = true;
    }
}
