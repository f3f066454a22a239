// SPDX-License-Identifier: Apache-2.0

// Everything a program can see or do of the signal that the agent uses itself.

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/signalfd.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include "probe.h"
#include "signal_probe.h"

extern sighandler_t bsd_signal(int number, sighandler_t handler);

static void test_action(void)
{
    show_action("at first");
    set_action(note, SA_RESTART, true);
    show_action("after sigaction");
    set_action(note, SA_NODEFER | SA_ONSTACK, false);
    show_action("after another");
    show("signal", signal(NUMBER, note_plain) == (sighandler_t)(void *)note);
    show_action("after signal");
    show("bsd_signal", bsd_signal(NUMBER, SIG_IGN) == note_plain);
    show_action("after bsd_signal");
    show("sysv_signal", sysv_signal(NUMBER, note_plain) == SIG_IGN);
    show_action("after sysv_signal");
    show("signal error", signal(NUMBER, SIG_ERR) == SIG_ERR ? -1 : 0);
    show("sigset", sigset(NUMBER, SIG_HOLD) == note_plain);
    show("sigset blocks", is_blocked());
    show("sigset again", sigset(NUMBER, note_plain) == SIG_HOLD);
    show("sigset unblocks", is_blocked());
    show_action("after sigset");
    show("sigignore", sigignore(NUMBER));
    show_action("after sigignore");
    show("sighold", sighold(NUMBER));
    show("sighold blocks", is_blocked());
    show("sigrelse", sigrelse(NUMBER));
    show("sigrelse unblocks", is_blocked());
    signal(NUMBER, note_plain);
    show("siginterrupt", siginterrupt(NUMBER, 1));
    show_action("after siginterrupt");
    signal(NUMBER, note_plain);
    show_action("after signal");
    show("siginterrupt", siginterrupt(NUMBER, 0));
    show_action("after siginterrupt");
    for (int i = 1; i <= 64; i++) {
        struct sigaction action = {.sa_handler = SIG_DFL};
        int status = sigaction(i, &action, NULL);
        if (status != 0) {
            printf("sigaction of %d: %s\n", i, strerror(errno));
        }
    }
    show_action("after all were reset");
}

static void test_delivery(void)
{
    set_action(note, 0, false);
    show("raise", raise(NUMBER));
    queue(7);
    kill(getpid(), NUMBER);
    pthread_kill(pthread_self(), NUMBER);
    burn();
    show_calls("delivered");
    set_action(note, (int)SA_RESETHAND, false);
    raise(NUMBER);
    show_calls("once");
    show_action("after once");
    signal(NUMBER, SIG_IGN);
    raise(NUMBER);
    queue(1);
    show_calls("ignored");
}

static void test_blocking(void)
{
    set_action(note, 0, false);
    show_mask("at first");
    change_mask(SIG_BLOCK, true);
    show_mask("all");
    burn();
    show("pending", is_pending());
    queue(1);
    queue(2);
    raise(NUMBER);
    queue(3);
    show("pending", is_pending());
    show_calls("blocked");
    sigset_t one;
    sigemptyset(&one);
    sigaddset(&one, SIGUSR1);
    sigprocmask(SIG_UNBLOCK, &one, NULL);
    show_mask("one less");
    sigset_t old;
    sigaddset(&one, NUMBER);
    sigprocmask(SIG_UNBLOCK, &one, &old);
    show("was blocked", sigismember(&old, NUMBER));
    show_calls("unblocked");
    show("pending", is_pending());
    sigprocmask(SIG_SETMASK, &old, NULL);
    show_mask("as before");
    change_mask(SIG_UNBLOCK, true);
    show_mask("none");
    show("wrong way", pthread_sigmask(77, &one, &old));
    change_mask(SIG_BLOCK, false);
    queue(4);
    signal(NUMBER, SIG_IGN);
    show("ignored is not pending", is_pending());
    set_action(note, 0, false);
    change_mask(SIG_UNBLOCK, false);
    show_calls("ignored while pending");
    change_mask(SIG_BLOCK, false);
    queue(5);
    show("sigsetmask", sigsetmask(0));
    show_calls("sigsetmask");
}

static int nesting;
static int deepest;

static void nest(int number, siginfo_t *info, void *context)
{
    (void)info;
    (void)context;
    nesting++;
    deepest = nesting > deepest ? nesting : deepest;
    if (call_count++ < 3) {
        raise(number);
        burn();
    }
    nesting--;
}

static void show_own_mask(int number, siginfo_t *info, void *context)
{
    (void)number;
    (void)info;
    show_mask("in the handler");
    ucontext_t *interrupted = context;
    show("interrupted mask", sigismember(&interrupted->uc_sigmask, NUMBER));
    sigaddset(&interrupted->uc_sigmask, NUMBER);
}

static void change_own_mask(int number, siginfo_t *info, void *context)
{
    (void)number;
    (void)info;
    (void)context;
    show_mask("in a handler that blocks all");
    change_mask(SIG_SETMASK, true);
    show("blocked in it", is_blocked());
    change_mask(SIG_UNBLOCK, false);
    show("unblocked in it", is_blocked());
}

static void test_handler(void)
{
    set_action(nest, 0, false);
    raise(NUMBER);
    show("not nested", deepest);
    show("calls", call_count);
    call_count = deepest = 0;
    set_action(nest, SA_NODEFER, false);
    raise(NUMBER);
    show("nested", deepest);
    call_count = 0;
    set_action(show_own_mask, SA_NODEFER, false);
    raise(NUMBER);
    show("blocked by the handler", is_blocked());
    change_mask(SIG_UNBLOCK, false);
    set_action(show_own_mask, 0, true);
    raise(NUMBER);
    change_mask(SIG_UNBLOCK, false);
    struct sigaction action = {.sa_sigaction = change_own_mask, .sa_flags = SA_SIGINFO};
    sigfillset(&action.sa_mask);
    sigaction(SIGUSR2, &action, NULL);
    raise(SIGUSR2);
    show_mask("after it");
}

static void send_number(void *thread)
{
    pthread_kill(*(pthread_t *)thread, NUMBER);
}

static void test_interruption(void)
{
    int ends[2];
    char byte;
    pthread_t self = pthread_self();
    show("pipe", pipe(ends));
    set_action(note, 0, false);
    later(30, send_number, &self);
    show("read", read(ends[0], &byte, 1));
    later_join();
    show_calls("interrupted");
    change_mask(SIG_BLOCK, true);
    sigset_t mask;
    sigemptyset(&mask);
    queue(1);
    show("sigsuspend", sigsuspend(&mask));
    show_calls("sigsuspend");
    show("blocked again", is_blocked());
    struct pollfd fd = {ends[0], POLLIN, 0};
    queue(2);
    show("ppoll", ppoll(&fd, 1, NULL, &mask));
    show_calls("ppoll");
    later(30, send_number, &self);
    show("pselect", pselect(0, NULL, NULL, NULL, NULL, &mask));
    later_join();
    show_calls("pselect");
    queue(3);
    struct epoll_event event;
    int epoll = epoll_create1(0);
    show("epoll_pwait", epoll_pwait(epoll, &event, 1, -1, &mask));
    show_calls("epoll_pwait");
    sigfillset(&mask);
    queue(4);
    struct timespec timeout = {0, 20000000};
    show("ppoll all blocked", ppoll(&fd, 1, &timeout, &mask));
    show_calls("ppoll all blocked");
    change_mask(SIG_UNBLOCK, true);
    show_calls("unblocked");
    later(10, send_number, &self);
    show("ppoll blocks", ppoll(&fd, 1, &(struct timespec){0, 50000000}, &mask));
    later_join();
    show_calls("ppoll blocks");
    close(epoll);
}

static void send_to_process(void *unused)
{
    (void)unused;
    queue(9);
}

static void send_other(void *thread)
{
    pthread_kill(*(pthread_t *)thread, SIGUSR1);
}

static void test_waiting(void)
{
    sigset_t all;
    siginfo_t info;
    int number = 0;
    pthread_t self = pthread_self();
    struct timespec timeout = {0, 30000000};
    sigfillset(&all);
    change_mask(SIG_BLOCK, true);
    queue(1);
    queue(2);
    raise(SIGUSR1);
    show_status("sigwait", sigwait(&all, &number));
    show("lowest first", number);
    show("sigwaitinfo", sigwaitinfo(&all, &info));
    show("value", info.si_value.sival_int);
    show("sigtimedwait", sigtimedwait(&all, NULL, &timeout));
    show("sigtimedwait none", sigtimedwait(&all, &info, &timeout));
    show("sigtimedwait at once", sigtimedwait(&all, &info, &(struct timespec){0}));
    show("sigtimedwait wrong", sigtimedwait(&all, &info, &(struct timespec){0, -1}));
    burn();
    later(30, send_number, &self);
    show_status("sigwait for later", sigwait(&all, &number));
    show("number", number);
    later_join();
    later(30, send_to_process, NULL);
    show("sigwaitinfo for later", sigwaitinfo(&all, &info));
    show("code", info.si_code);
    show("value", info.si_value.sival_int);
    later_join();
    sigset_t one;
    sigemptyset(&one);
    sigaddset(&one, NUMBER);
    sigset_t usr1;
    sigemptyset(&usr1);
    sigaddset(&usr1, SIGUSR1);
    sigprocmask(SIG_UNBLOCK, &usr1, NULL);
    signal(SIGUSR1, note_plain);
    later(30, send_other, &self);
    show("sigwaitinfo interrupted", sigwaitinfo(&one, &info));
    later_join();
    call_count = 0;
    int fd = signalfd(-1, &all, SFD_NONBLOCK);
    show("signalfd", fd >= 0);
    struct signalfd_siginfo read_info;
    show("signalfd empty", read(fd, &read_info, sizeof read_info));
    raise(SIGUSR2);
    show("signalfd read", read(fd, &read_info, sizeof read_info));
    show("signalfd number", read_info.ssi_signo);
    close(fd);
    change_mask(SIG_UNBLOCK, true);
    show_calls("nothing left");
}

static pthread_t handled_by;

static void note_thread(int number, siginfo_t *info, void *context)
{
    handled_by = pthread_self();
    note(number, info, context);
}

static atomic_bool is_ready;
static atomic_bool may_end;

static void *stay_unblocked(void *unused)
{
    (void)unused;
    show("new thread blocks", is_blocked());
    change_mask(SIG_UNBLOCK, false);
    call_count = 0;
    is_ready = true;
    while (!may_end) {
        usleep(1000);
    }
    return NULL;
}

static void *wait_for_it(void *number)
{
    sigset_t all;
    sigfillset(&all);
    sigwait(&all, number);
    return NULL;
}

static atomic_int waiter;

static void *wait_in_thread(void *number)
{
    waiter = this_thread();
    return wait_for_it(number);
}

static void test_threads(void)
{
    pthread_t thread;
    int number = 0;
    set_action(note_thread, 0, false);
    change_mask(SIG_BLOCK, true);
    pthread_create(&thread, NULL, stay_unblocked, NULL);
    while (!is_ready) {
        usleep(1000);
    }
    kill(getpid(), NUMBER);
    while (call_count == 0) {
        usleep(1000);
    }
    show("handled by the other", pthread_equal(handled_by, thread) != 0);
    show_calls("for the process");
    raise(NUMBER);
    usleep(20000);
    show("held for this one", is_pending());
    show_calls("for this thread");
    may_end = true;
    pthread_join(thread, NULL);
    pthread_create(&thread, NULL, wait_in_thread, &number);
    while (waiter == 0) {
        usleep(1000);
    }
    until_asleep(waiter);
    wait_for_it(&(int){0});
    kill(getpid(), NUMBER);
    pthread_join(thread, NULL);
    show("taken by the waiter", number);
    change_mask(SIG_UNBLOCK, true);
    show_calls("at the end");
}

static void test_timer(void)
{
    timer_t timer;
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = NUMBER};
    event.sigev_value.sival_int = 42;
    struct itimerspec value = {{0, 10000000}, {0, 10000000}};
    set_action(note, SA_RESTART, false);
    show("timer_create", timer_create(CLOCK_MONOTONIC, &event, &timer));
    timer_settime(timer, 0, &value, NULL);
    while (call_count < 3) {
        usleep(1000);
    }
    show("timer_delete", timer_delete(timer));
    show("timer code", codes[0] == SI_TIMER);
    show("timer value", values[0]);
    call_count = 0;
}

int main(void)
{
    test_action();
    test_delivery();
    test_blocking();
    test_handler();
    test_interruption();
    test_waiting();
    test_threads();
    test_timer();
    return 0;
}
