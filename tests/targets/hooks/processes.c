// SPDX-License-Identifier: Apache-2.0

// The agent's own signal in children and new programs: what they start with, and how they end.

#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "probe.h"
#include "signal_probe.h"

static char preload[200]; // LD_PRELOAD=..., or empty when bare
static const char *own_path;

// What the kernel has to say of this signal in a new program: blocked, ignored, pending.
static char pattern[] = "^Sig(Blk|Ign|Pnd)|^ShdPnd";
static char status_path[] = "/proc/self/status";
static char grep_path[] = "/bin/grep";
static char extended[] = "-E";
static char *const grep[] = {grep_path, extended, pattern, status_path, NULL};

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
    char *arguments[] = {(char *)own_path, (char *)"again", NULL};
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
    test_exec();
    test_children();
    return 0;
}
