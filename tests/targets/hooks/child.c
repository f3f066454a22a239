// SPDX-License-Identifier: Apache-2.0

// Sleeping, and waiting for children.

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "probe.h"

static const struct timespec short_time = {0, 30000000};

static void test_sleep(void)
{
    expect_begin();
    show("nanosleep", nanosleep(&short_time, NULL));
    expect_end("nanosleep", "sleep");
    struct timespec left = {9, 9};
    interrupt_after(30);
    show("nanosleep interrupted", nanosleep(&(struct timespec){1000, 0}, &left));
    later_join();
    show("time left", left.tv_sec >= 500 && left.tv_sec < 1000);
    show("nanosleep wrong", nanosleep(&(struct timespec){0, -1}, NULL));
    expect_begin();
    show_status("clock_nanosleep", clock_nanosleep(CLOCK_MONOTONIC, 0, &short_time, NULL));
    expect_end("clock_nanosleep", "sleep");
    struct timespec until = after_ms(CLOCK_MONOTONIC, 30);
    show_status("clock_nanosleep until",
                clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL));
    show_status("clock_nanosleep no clock", clock_nanosleep(77, 0, &short_time, NULL));
    interrupt_after(30);
    show_status("clock_nanosleep interrupted",
                clock_nanosleep(CLOCK_REALTIME, 0, &(struct timespec){1000, 0}, NULL));
    later_join();
    expect_begin();
    show("usleep", usleep(30000));
    expect_end("usleep", "sleep");
    interrupt_after(30);
    expect_begin();
    show("sleep", sleep(1000) > 500);
    expect_end("sleep", "sleep");
    later_join();
    interrupt_after(30);
    expect_begin();
    show("pause", pause());
    expect_end("pause", "other");
    later_join();
}

// Once its parent waits for it.
static pid_t child_that_exits(int status)
{
    pid_t pid = fork();
    if (pid == 0) {
        until_asleep(getppid());
        usleep(30000);
        _exit(status);
    }
    return pid;
}

static pid_t child_that_stays(void)
{
    pid_t pid = fork();
    if (pid == 0) {
        pause();
        _exit(0);
    }
    return pid;
}

static void test_wait(void)
{
    int status = 0;
    struct rusage usage;
    siginfo_t info;
    pid_t pid = child_that_exits(3);
    expect_begin();
    show("wait", wait(&status) == pid);
    expect_end("wait", "child");
    show("status", status);
    pid = child_that_exits(4);
    expect_begin();
    show("waitpid", waitpid(pid, &status, 0) == pid);
    expect_end("waitpid", "child");
    show("status", status);
    pid = child_that_exits(5);
    expect_begin();
    show("wait4", wait4(pid, &status, 0, &usage) == pid);
    expect_end("wait4", "child");
    pid = child_that_exits(6);
    show("wait3 not waiting", wait3(&status, WNOHANG, &usage));
    show("wait3", wait3(&status, 0, &usage) == pid);
    show("status", status);
    pid = child_that_exits(7);
    expect_begin();
    show("waitid", waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT));
    expect_end("waitid", "child");
    show("waitid status", info.si_status);
    interrupt_after(0);
    later_join();
    show("waitpid again", waitpid(pid, &status, 0) == pid);
    show("no child", wait(&status));
    pid = child_that_stays();
    interrupt_after(10);
    show("waitpid interrupted", waitpid(pid, &status, 0));
    later_join();
    kill(pid, SIGKILL);
    show("waitpid", waitpid(-1, &status, 0) == pid);
}

// A vfork child borrows its parent's memory: what it waits for is not its parent's wait.
static void test_vfork(void)
{
    int status = 0;
    expect_begin();
    pid_t pid = vfork();
    if (pid == 0) {
        usleep(30000);
        pid_t grandchild = vfork();
        if (grandchild == 0) {
            _exit(1);
        }
        usleep(30000);
        _exit(waitpid(grandchild, NULL, 0) == grandchild ? 8 : 9);
    }
    show("vfork", expect_nothing());
    show("vfork", pid > 0 && waitpid(pid, &status, 0) == pid);
    show("status", status);
    expect_begin();
    usleep(30000);
    expect_end("usleep after vfork", "sleep");
}

// For a shell: what until_asleep does, for the process that started it.
#define UNTIL_PARENT_SLEEPS                                      \
    "while read -r stat < /proc/$PPID/stat; do"                  \
    "  case $stat in *') '[RD]*) sleep 0.001;; *) break;; esac;" \
    "done;"

static void test_shell(void)
{
    char line[100];
    expect_begin();
    show("system", system("sleep 0.05; exit 9"));
    expect_end("system", "child");
    show("system asked", system(NULL) != 0);
    FILE *stream = popen("echo one;" UNTIL_PARENT_SLEEPS "sleep 0.03; echo two; exit 2", "r");
    show_text("fgets", fgets(line, sizeof line, stream));
    expect_begin();
    show_text("fgets", fgets(line, sizeof line, stream));
    expect_end("fgets", "pipe");
    show("fgets at end", fgets(line, sizeof line, stream) == NULL);
    show("pclose", pclose(stream));
    stream = popen(UNTIL_PARENT_SLEEPS "sleep 0.03", "w");
    expect_begin();
    show("pclose", pclose(stream));
    expect_end("pclose", "child");
    show("popen wrong", popen("true", "q") == NULL ? -1 : 0);
}

int main(void)
{
    test_sleep();
    test_wait();
    test_vfork();
    test_shell();
    return 0;
}
