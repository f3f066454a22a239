// SPDX-License-Identifier: Apache-2.0

// Everything a program can see or do of the signal that the agent uses itself.

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include "probe.h"

#define NUMBER 61

extern char **environ;
extern sighandler_t bsd_signal(int number, sighandler_t handler);

static char preload[200]; // LD_PRELOAD=..., or empty when bare
static const char *own_path;
static atomic_int call_count;
static int codes[20];
static int values[20];

// Enough CPU time for the test's agent to send its own signal some times.
static void burn(void)
{
    struct timespec time;
    do {
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    } while (time.tv_nsec / 1000000 % 4 != 3);
    do {
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    } while (time.tv_nsec / 1000000 % 4 == 3);
}

static void note(int number, siginfo_t *info, void *context)
{
    (void)number;
    (void)context;
    int i = call_count++;
    if (i < 20) {
        codes[i] = info->si_code;
        values[i] = info->si_value.sival_int;
    }
}

static void note_plain(int number)
{
    (void)number;
    call_count++;
}

static void show_calls(const char *what)
{
    printf("%s: %d calls", what, call_count);
    for (int i = 0; i < call_count && i < 20; i++) {
        printf(" (code %d, value %d)", codes[i], codes[i] == SI_QUEUE ? values[i] : 0);
    }
    printf("\n");
    fflush(stdout);
    call_count = 0;
}

static bool is_blocked(void)
{
    sigset_t mask;
    sigprocmask(SIG_BLOCK, NULL, &mask);
    return sigismember(&mask, NUMBER);
}

static bool is_pending(void)
{
    sigset_t set;
    sigpending(&set);
    return sigismember(&set, NUMBER);
}

static void show_mask(const char *what)
{
    sigset_t mask;
    pthread_sigmask(SIG_BLOCK, NULL, &mask);
    printf("%s: blocked", what);
    for (int i = 1; i <= SIGRTMAX; i++) {
        if (sigismember(&mask, i) == 1) {
            printf(" %d", i);
        }
    }
    printf("\n");
    fflush(stdout);
}

static void show_action(const char *what)
{
    struct sigaction action;
    memset(&action, 0x55, sizeof action);
    int status = sigaction(NUMBER, NULL, &action);
    const char *handler = action.sa_handler == SIG_DFL      ? "default"
                          : action.sa_handler == SIG_IGN    ? "ignored"
                          : action.sa_sigaction == note     ? "note"
                          : action.sa_handler == note_plain ? "note_plain"
                                                            : "unknown";
    printf("%s: %d %s flags %x mask %lx\n", what, status, handler, action.sa_flags,
           *(unsigned long *)&action.sa_mask);
    fflush(stdout);
}

static void set_action(void (*handler)(int, siginfo_t *, void *), int flags, bool is_full)
{
    struct sigaction action = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO | flags};
    if (is_full) {
        sigfillset(&action.sa_mask);
    }
    sigaction(NUMBER, &action, NULL);
}

static void change_mask(int how, bool is_full)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, NUMBER);
    if (is_full) {
        sigfillset(&set);
    }
    pthread_sigmask(how, &set, NULL);
}

static void queue(int value)
{
    sigqueue(getpid(), NUMBER, (union sigval){.sival_int = value});
}

static void test_action(void)
{
    show_action("at first");
    set_action(note, SA_RESTART, true);
    show_action("after sigaction");
    set_action(note, SA_NODEFER | SA_ONSTACK, false);
    show_action("after another");
    show("signal", signal(NUMBER, note_plain) == (sighandler_t)note);
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
    note(number, info, context);
    handled_by = pthread_self();
}

static atomic_bool may_end;

static void *stay_unblocked(void *unused)
{
    (void)unused;
    show("new thread blocks", is_blocked());
    change_mask(SIG_UNBLOCK, false);
    call_count = 0;
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

static void test_threads(void)
{
    pthread_t thread;
    int number = 0;
    set_action(note_thread, 0, false);
    change_mask(SIG_BLOCK, true);
    pthread_create(&thread, NULL, stay_unblocked, NULL);
    usleep(50000);
    kill(getpid(), NUMBER);
    usleep(50000);
    show("handled by the other", pthread_equal(handled_by, thread) != 0);
    show_calls("for the process");
    raise(NUMBER);
    usleep(20000);
    show("held for this one", is_pending());
    show_calls("for this thread");
    may_end = true;
    pthread_join(thread, NULL);
    pthread_create(&thread, NULL, wait_for_it, &number);
    usleep(50000);
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

// What the kernel has to say of this signal in a new program: blocked, ignored, pending.
static char *const grep[] = {"/bin/grep", "-E", "^Sig(Blk|Ign|Pnd)|^ShdPnd", "/proc/self/status",
                             NULL};

static void show_child(const char *what, pid_t pid)
{
    int status = 0;
    waitpid(pid, &status, 0);
    printf("%s: exit %d signal %d\n", what, WEXITSTATUS(status), WTERMSIG(status));
    fflush(stdout);
}

static void exec_in_child(const char *what, bool is_vfork)
{
    show_text("exec", what);
    pid_t pid = is_vfork ? vfork() : fork();
    if (pid == 0) {
        execve(grep[0], grep, environ);
        _exit(127);
    }
    show_child(what, pid);
}

static void exec_again(const char *what)
{
    char *arguments[] = {(char *)own_path, "again", NULL};
    char *variables[] = {preload, NULL};
    show_text("exec again", what);
    pid_t pid = fork();
    if (pid == 0) {
        queue(1);
        execve(own_path, arguments, preload[0] ? variables : variables + 1);
        _exit(127);
    }
    show_child(what, pid);
}

static void vfork_and_unblock(void)
{
    pid_t pid = vfork();
    if (pid == 0) {
        sigset_t none;
        sigemptyset(&none);
        sigprocmask(SIG_SETMASK, &none, NULL);
        signal(NUMBER, SIG_DFL);
        execve(grep[0], grep, environ);
        _exit(127);
    }
    show_child("vfork that unblocks", pid);
    show_mask("parent after vfork");
    show_action("parent after vfork");
}

static void test_exec(void)
{
    signal(NUMBER, SIG_DFL);
    exec_in_child("nothing blocked", false);
    signal(NUMBER, SIG_IGN);
    change_mask(SIG_BLOCK, true);
    exec_in_child("all blocked, ignored", false);
    exec_in_child("all blocked, ignored, vfork", true);
    vfork_and_unblock();
    exec_again("all blocked, ignored");
    set_action(note, 0, false);
    exec_in_child("all blocked, handler, vfork", true);
    exec_again("all blocked, pending");
    pid_t pid;
    posix_spawnattr_t attributes;
    sigset_t one;
    sigemptyset(&one);
    sigaddset(&one, NUMBER);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setsigmask(&attributes, &one);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
    int status = posix_spawn(&pid, grep[0], NULL, &attributes, grep, environ);
    show_child("posix_spawn", pid);
    show_status("posix_spawn", status);
    show("system", system("exec grep -E '^SigBlk' /proc/self/status"));
    change_mask(SIG_UNBLOCK, true);
    show("exec fails", execve("/not/there", grep, environ));
    raise(NUMBER);
    show_calls("after a failed exec");
}

static void run_again(void)
{
    show_mask("again");
    show_action("again");
    show("pending again", is_pending());
}

static void in_child(const char *what, void (*action)(void))
{
    pid_t pid = fork();
    if (pid == 0) {
        action();
        _exit(0);
    }
    show_child(what, pid);
}

static void do_nothing(void)
{
    show_mask("child");
    show_action("child");
    show("child's pending", is_pending());
}

static void do_raise(void)
{
    raise(NUMBER);
}

static void do_raise_blocked(void)
{
    change_mask(SIG_BLOCK, true);
    burn();
    raise(NUMBER);
    show("alive while it is blocked", 1);
    change_mask(SIG_UNBLOCK, true);
}

static void do_kill(void)
{
    kill(getpid(), NUMBER);
    usleep(1000000);
}

static void *raise_in_thread(void *unused)
{
    raise(NUMBER);
    return unused;
}

static void do_raise_in_thread(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, raise_in_thread, NULL);
    pthread_join(thread, NULL);
}

static void test_children(void)
{
    set_action(note, 0, false);
    change_mask(SIG_BLOCK, true);
    queue(1);
    in_child("child", do_nothing);
    change_mask(SIG_UNBLOCK, true);
    show_calls("parent's own");
    signal(NUMBER, SIG_IGN);
    in_child("raise ignored", do_raise);
    in_child("kill ignored", do_kill);
    signal(NUMBER, SIG_DFL);
    in_child("raise", do_raise);
    in_child("kill", do_kill);
    in_child("raise blocked", do_raise_blocked);
    in_child("raise in a thread", do_raise_in_thread);
}

int main(int argument_count, char **arguments)
{
    const char *value = getenv("LD_PRELOAD");
    snprintf(preload, sizeof preload, value ? "LD_PRELOAD=%s" : "", value);
    unsetenv("LD_PRELOAD");
    own_path = arguments[0];
    if (argument_count > 1) {
        run_again();
        return 0;
    }
    test_action();
    test_delivery();
    test_blocking();
    test_handler();
    test_interruption();
    test_waiting();
    test_threads();
    test_timer();
    test_exec();
    test_children();
    return 0;
}
