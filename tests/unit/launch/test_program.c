// SPDX-License-Identifier: Apache-2.0
// Each test runs in a child of its own: standing by a program changes the signals of the process.

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "launch/program.h"
#include "unit.h"

static void start(struct program *program, const char *path, const char *const *argv)
{
    struct program_options options = {
        .path = path, .argv = (char *const *)argv, .agent = "", .run_dir = "/nowhere"};
    struct error err = {0};
    if (!program_start(program, &options, &err)) {
        fprintf(stderr, "%s\n", err.text);
        _exit(99);
    }
}

static void start_shell(struct program *program, const char *script)
{
    start(program, "/bin/sh", (const char *const[]){"sh", "-c", script, NULL});
}

static void stand_by(struct program *program)
{
    while (!program_wait(program, 1000)) {
    }
}

// How a process ends that starts `script` and ends like it.
static int run_alike(const char *script, void (*prepare)(void), void (*meanwhile)(pid_t pid))
{
    pid_t pid = fork();
    if (pid == 0) {
        if (prepare) {
            prepare();
        }
        struct program program;
        start_shell(&program, script);
        if (meanwhile) {
            meanwhile(program.pid);
        }
        stand_by(&program);
        program_end_alike(&program);
    }
    int status;
    waitpid(pid, &status, 0);
    return status;
}

static void the_status_is_the_programs(void **state)
{
    (void)state;
    int status = run_alike("exit 37", NULL, NULL);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 37);
}

static void death_by_a_signal_is_passed_on_without_a_core_file(void **state)
{
    (void)state;
    static const int signals[] = {SIGTERM, SIGKILL, SIGSEGV, SIGINT, SIGABRT, SIGPIPE};
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
        char script[32];
        snprintf(script, sizeof script, "kill -%d $$; sleep 9", signals[i]);
        int status = run_alike(script, NULL, NULL);
        assert_true(WIFSIGNALED(status));
        assert_int_equal(WTERMSIG(status), signals[i]);
        assert_false(WCOREDUMP(status));
    }
}

// From the kernel, a line such as "SigCgt:\t0000000000004000\n".
static unsigned long long signal_mask(pid_t pid, const char *name)
{
    char path[64];
    char line[128];
    unsigned long long mask = 0;
    snprintf(path, sizeof path, "/proc/%d/status", (int)pid);
    FILE *file = fopen(path, "re");
    while (file && fgets(line, sizeof line, file)) {
        if (strncmp(line, name, strlen(name)) == 0) {
            mask = strtoull(line + strlen(name) + 1, NULL, 16);
        }
    }
    if (file) {
        fclose(file);
    }
    return mask;
}

static unsigned long long bit(int signal_number)
{
    return 1ull << (signal_number - 1);
}

static void send_to_scalene(pid_t pid)
{
    while (!(signal_mask(pid, "SigCgt") & bit(SIGTERM))) {
        usleep(1000);
    }
    kill(getpid(), SIGUSR1); // from ourselves: not for the program
    if (fork() == 0) {
        kill(getppid(), SIGTERM);
        _exit(0);
    }
}

static void a_signal_for_scalene_alone_reaches_the_program(void **state)
{
    (void)state;
    int status = run_alike("trap 'exit 42' USR1; trap 'exit 41' TERM; while :; do sleep 0.01; done",
                           NULL, send_to_scalene);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 41);
}

static void ignore_and_block(void)
{
    signal(SIGHUP, SIG_IGN);
    signal(SIGCHLD, SIG_IGN);
    sigset_t blocked;
    sigemptyset(&blocked);
    sigaddset(&blocked, SIGUSR2);
    sigprocmask(SIG_SETMASK, &blocked, NULL);
}

// Read from the kernel, by a program that changes nothing itself (a shell would).
static void ignored_and_blocked_signals_are_the_callers(void **state)
{
    (void)state;
    char pattern[256];
    unsigned long long ignored = signal_mask(getpid(), "SigIgn") | bit(SIGHUP) | bit(SIGCHLD);
    snprintf(pattern, sizeof pattern, "SigBlk:\\s*%016llx\\nSigIgn:\\s*%016llx\\n", bit(SIGUSR2),
             ignored);
    pid_t pid = fork();
    if (pid == 0) {
        ignore_and_block();
        struct program program;
        const char *const argv[] = {"grep", "-qPz", pattern, "/proc/self/status", NULL};
        start(&program, "/bin/grep", argv);
        stand_by(&program);
        program_end_alike(&program);
    }
    int status;
    waitpid(pid, &status, 0);
    assert_int_equal(status, 0);
}

static void set_alarm(void)
{
    struct itimerval soon = {.it_value.tv_usec = 50000};
    setitimer(ITIMER_REAL, &soon, NULL);
}

static void an_alarm_set_by_the_caller_rings_in_the_program(void **state)
{
    (void)state;
    int status = run_alike("while :; do :; done", set_alarm, NULL);
    assert_true(WIFSIGNALED(status));
    assert_int_equal(WTERMSIG(status), SIGALRM);
}

static void close_what_was_inherited(void)
{
    for (int fd = 3; fd < 1024; fd++) {
        close(fd);
    }
}

static void the_program_sees_no_descriptor_of_ours(void **state)
{
    (void)state;
    // ls opens one itself.
    int status = run_alike("test \"$(ls /proc/self/fd | tr '\\n' ' ')\" = '0 1 2 3 '",
                           close_what_was_inherited, NULL);
    assert_int_equal(WEXITSTATUS(status), 0);
}

static void what_cannot_be_executed_is_an_error_here(void **state)
{
    (void)state;
    pid_t pid = fork();
    if (pid == 0) {
        const char *argv[] = {"x", NULL};
        struct program_options options = {
            .path = "/nowhere/x", .argv = (char *const *)argv, .agent = "", .run_dir = ""};
        struct program program;
        struct error err = {0};
        bool is_started = program_start(&program, &options, &err);
        _exit(!is_started && strstr(err.text, "/nowhere/x: No such file") ? 0 : 1);
    }
    int status;
    waitpid(pid, &status, 0);
    assert_int_equal(status, 0);
}

static void stop_and_continue(pid_t pid)
{
    if (fork() == 0) {
        kill(pid, SIGSTOP);
        usleep(20000);
        kill(pid, SIGCONT);
        _exit(0);
    }
}

static void a_program_stopped_alone_does_not_stop_scalene(void **state)
{
    (void)state;
    int status = run_alike("sleep 0.1; exit 3", NULL, stop_and_continue);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 3);
}

static void the_kernels_account_of_the_program_is_kept(void **state)
{
    (void)state;
    pid_t pid = fork();
    if (pid == 0) {
        struct program program;
        start_shell(&program, "i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done");
        stand_by(&program);
        bool has_usage = timerisset(&program.usage.ru_utime);
        _exit(has_usage && program.end_ns > program.start_ns ? 0 : 1);
    }
    int status;
    waitpid(pid, &status, 0);
    assert_int_equal(status, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_status_is_the_programs),
        cmocka_unit_test(death_by_a_signal_is_passed_on_without_a_core_file),
        cmocka_unit_test(a_signal_for_scalene_alone_reaches_the_program),
        cmocka_unit_test(ignored_and_blocked_signals_are_the_callers),
        cmocka_unit_test(an_alarm_set_by_the_caller_rings_in_the_program),
        cmocka_unit_test(the_program_sees_no_descriptor_of_ours),
        cmocka_unit_test(what_cannot_be_executed_is_an_error_here),
        cmocka_unit_test(a_program_stopped_alone_does_not_stop_scalene),
        cmocka_unit_test(the_kernels_account_of_the_program_is_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
