// SPDX-License-Identifier: Apache-2.0
#include "launch/program.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/process_stat.h"
#include "launch/environment.h"
#include "wire/control.h"

static uint64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

// All but those that our own mistakes raise.
static void fill_watched_signals(sigset_t *set)
{
    static const int own_faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS};
    sigfillset(set);
    for (size_t i = 0; i < sizeof own_faults / sizeof *own_faults; i++) {
        sigdelset(set, own_faults[i]);
    }
}

// Signals are blocked, not caught or ignored: dispositions stay as they were and the program gets
// them from the fork. SIGCHLD alone must not be ignored here, or there would be nothing to wait
// for.
static bool watch_signals(struct program *program, struct error *err)
{
    sigset_t watched;
    fill_watched_signals(&watched);
    struct sigaction before;
    struct sigaction standard = {.sa_handler = SIG_DFL};
    program->signal_fd = signalfd(-1, &watched, SFD_NONBLOCK | SFD_CLOEXEC);
    if (program->signal_fd < 0) {
        return error_set(err, "cannot watch signals: %s", strerror(errno));
    }
    sigprocmask(SIG_BLOCK, &watched, &program->start_mask);
    sigaction(SIGCHLD, &standard, &before);
    program->ignored_child_signal = before.sa_handler == SIG_IGN;
    return true;
}

// Alarms set before scalene was started (`perl -e 'alarm 10; exec ...'`) are the program's: exec
// keeps them, fork does not.
static const int alarm_clocks[] = {ITIMER_REAL, ITIMER_VIRTUAL, ITIMER_PROF};
#define ALARM_COUNT (sizeof alarm_clocks / sizeof *alarm_clocks)

struct alarms {
    struct itimerval left[ALARM_COUNT];
};

static void take_alarms(struct alarms *alarms)
{
    const struct itimerval none = {0};
    for (size_t i = 0; i < ALARM_COUNT; i++) {
        setitimer(alarm_clocks[i], &none, &alarms->left[i]);
    }
}

static void give_alarms(const struct alarms *alarms)
{
    for (size_t i = 0; i < ALARM_COUNT; i++) {
        if (timerisset(&alarms->left[i].it_value)) {
            setitimer(alarm_clocks[i], &alarms->left[i], NULL);
        }
    }
}

// In the child: does not return. What goes wrong is told through the pipe, which exec closes.
static _Noreturn void execute(const struct program *program, const struct program_options *options,
                              char **environment, int report_fd)
{
    if (program->ignored_child_signal) {
        signal(SIGCHLD, SIG_IGN);
    }
    sigprocmask(SIG_SETMASK, &program->start_mask, NULL);
    if (options->control) {
        atomic_store(&options->control->root_pid, getpid());
    }
    execve(options->path, options->argv, environment);
    int problem = errno;
    if (write(report_fd, &problem, sizeof problem) < 0) {
        _exit(126);
    }
    _exit(127);
}

static bool fork_and_execute(struct program *program, const struct program_options *options,
                             char **environment, struct error *err)
{
    int pipe_fds[2];
    if (pipe2(pipe_fds, O_CLOEXEC) != 0) {
        return error_set(err, "cannot start %s: %s", options->path, strerror(errno));
    }
    struct alarms alarms;
    take_alarms(&alarms);
    program->start_ns = now_ns();
    program->pid = fork();
    if (program->pid == 0) {
        give_alarms(&alarms);
        execute(program, options, environment, pipe_fds[1]);
    }
    int problem = program->pid < 0 ? errno : 0;
    close(pipe_fds[1]);
    ssize_t len;
    do {
        len = program->pid < 0 ? 0 : read(pipe_fds[0], &problem, sizeof problem);
    } while (len < 0 && errno == EINTR);
    close(pipe_fds[0]);
    if (len > 0) {
        waitpid(program->pid, NULL, 0);
    }
    return problem == 0 ? true
                        : error_set(err, "cannot start %s: %s", options->path, strerror(problem));
}

bool program_start(struct program *program, const struct program_options *options,
                   struct error *err)
{
    *program = (struct program){.pid = -1, .signal_fd = -1};
    if (!watch_signals(program, err)) {
        return false;
    }
    char **environment = environment_with_agent(environ, options->agent, options->run_dir);
    witness_start(&program->witness);
    bool is_started = fork_and_execute(program, options, environment, err);
    if (!is_started) {
        witness_end(&program->witness);
    }
    free(environment);
    return is_started;
}

static bool is_stopped(pid_t pid)
{
    struct process_stat stat;
    return process_stat_read(&stat, pid) && process_stat_state(&stat) == 'T';
}

// What the whole group got the program has got too, unless it has left the group. Signals that
// nobody sent come from the kernel, to the whole foreground group. Only of a closed terminal the
// session's leader alone is told, which is us where no shell is between (`ssh -t host scalene run
// ...`). A SIGPIPE of our own writes is nobody's business.
static bool is_for_the_program(struct program *program, const struct signalfd_siginfo *info)
{
    if (info->ssi_signo == SIGCHLD || info->ssi_pid == (uint32_t)getpid()) {
        return false;
    }
    bool is_for_group = witness_has_got(&program->witness, (int)info->ssi_signo);
    if (info->ssi_signo == SIGCONT) { // a shell continues the whole group
        return is_stopped(program->pid);
    }
    if (is_for_group && getpgid(program->pid) == getpgrp()) {
        return false;
    }
    if (info->ssi_signo == SIGHUP && info->ssi_code == SI_KERNEL) {
        return getsid(0) == getpid();
    }
    return info->ssi_code == SI_USER || info->ssi_code == SI_QUEUE || info->ssi_code == SI_TKILL;
}

static void pass_on(const struct program *program, const struct signalfd_siginfo *info)
{
    if (info->ssi_code == SI_QUEUE) {
        union sigval value = {.sival_ptr = (void *)(uintptr_t)info->ssi_ptr};
        sigqueue(program->pid, (int)info->ssi_signo, value);
    } else {
        kill(program->pid, (int)info->ssi_signo);
    }
}

static void read_signals(struct program *program)
{
    struct signalfd_siginfo info;
    while (read(program->signal_fd, &info, sizeof info) == (ssize_t)sizeof info) {
        if (is_for_the_program(program, &info)) {
            pass_on(program, &info);
        }
    }
}

static void raise_by_default(int signal_number)
{
    sigset_t only;
    sigemptyset(&only);
    sigaddset(&only, signal_number);
    signal(signal_number, SIG_DFL);
    raise(signal_number);
    sigprocmask(SIG_UNBLOCK, &only, NULL);
    sigprocmask(SIG_BLOCK, &only, NULL);
}

// Only what the terminal sends: whoever uses SIGSTOP on the program alone will also continue it
// alone, and would leave us standing.
static void stop_along(const struct program *program, int signal_number)
{
    bool is_from_terminal =
        signal_number == SIGTSTP || signal_number == SIGTTIN || signal_number == SIGTTOU;
    if (!is_from_terminal || getpgid(program->pid) != getpgrp()) {
        return;
    }
    raise_by_default(signal_number);
    if (is_stopped(program->pid)) {
        kill(program->pid, SIGCONT);
    }
}

// The clock of a process that has ended tells all that it used, until it is waited for.
static void read_last_clock(struct program *program)
{
    siginfo_t info = {0};
    clockid_t clock;
    struct timespec time;
    if (waitid(P_PID, (id_t)program->pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
        info.si_pid == program->pid && clock_getcpuclockid(program->pid, &clock) == 0 &&
        clock_gettime(clock, &time) == 0) {
        program->cpu_s = (double)time.tv_sec + (double)time.tv_nsec / 1e9;
    }
}

static void begin_stop(struct program *program)
{
    if (program->stopped_ns == 0) {
        program->stopped_ns = now_ns();
    }
}

static void end_stop(struct program *program)
{
    if (program->stopped_ns != 0 && program->stop_count < PROGRAM_STOP_MAX) {
        program->stops[program->stop_count++] =
            (struct program_stop){program->stopped_ns, now_ns()};
    }
    program->stopped_ns = 0;
}

static void reap(struct program *program)
{
    const int flags = WNOHANG | WUNTRACED | WCONTINUED;
    int status;
    read_last_clock(program);
    while (!program->has_ended &&
           wait4(program->pid, &status, flags, &program->usage) == program->pid) {
        if (WIFSTOPPED(status)) {
            begin_stop(program);
            stop_along(program, WSTOPSIG(status));
        } else if (WIFCONTINUED(status)) {
            end_stop(program);
        } else {
            end_stop(program); // killed while it was stopped
            program->has_ended = true;
            program->end_ns = now_ns();
            program->wait_status = status;
        }
    }
}

bool program_take_stop(struct program *program, struct program_stop *stop)
{
    if (program->stop_count == 0) {
        return false;
    }
    *stop = program->stops[0];
    program->stop_count--;
    memmove(program->stops, program->stops + 1, program->stop_count * sizeof *program->stops);
    return true;
}

bool program_is_stopped(const struct program *program)
{
    return program->stopped_ns != 0;
}

bool program_wait(struct program *program, int timeout_ms)
{
    struct pollfd waited = {.fd = program->signal_fd, .events = POLLIN};
    if (!program->has_ended && poll(&waited, 1, timeout_ms) > 0) {
        read_signals(program);
        reap(program);
    }
    return program->has_ended;
}

bool program_is_left(const struct program *program, int timeout_ms)
{
    struct pollfd waited = {.fd = program->signal_fd, .events = POLLIN};
    struct signalfd_siginfo info;
    bool is_left = false;
    if (poll(&waited, 1, timeout_ms) <= 0) {
        return false;
    }
    while (read(program->signal_fd, &info, sizeof info) == (ssize_t)sizeof info) {
        is_left |= info.ssi_signo == SIGINT || info.ssi_signo == SIGTERM ||
                   info.ssi_signo == SIGHUP || info.ssi_signo == SIGQUIT;
        if (info.ssi_signo == SIGTSTP) {
            raise_by_default(SIGTSTP);
        }
    }
    return is_left;
}

_Noreturn void program_end_alike(struct program *program)
{
    int status = program->wait_status;
    witness_end(&program->witness);
    if (!WIFSIGNALED(status)) {
        exit(WEXITSTATUS(status));
    }
    // The program's own core file is the one that is wanted.
    setrlimit(RLIMIT_CORE, &(struct rlimit){0});
    prctl(PR_SET_DUMPABLE, 0);
    fflush(NULL);
    raise_by_default(WTERMSIG(status));
    // Process 1 of a container cannot die of a signal.
    exit(128 + WTERMSIG(status));
}

bool program_become(const char *path, char *const *argv, struct error *err)
{
    execv(path, argv);
    return error_set(err, "cannot start %s: %s", path, strerror(errno));
}
