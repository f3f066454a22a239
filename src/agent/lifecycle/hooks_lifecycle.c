// SPDX-License-Identifier: Apache-2.0

// Hooks of functions that begin a thread, or end a process or the program in it.

#include <unistd.h>

#include "agent/hidden_signal.h"
#include "agent/hook.h"
#include "agent/lifecycle/thread_start.h"
#include "agent/process.h"

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *),
                   void *argument)
{
    return thread_start_create(thread, attributes, start, argument);
}

void _exit(int status)
{
    process_end(false);
    REAL(_exit)(status);
    __builtin_unreachable();
}

void _Exit(int status)
{
    process_end(false);
    REAL(_Exit)(status);
    __builtin_unreachable();
}

static void before_exec(void)
{
    process_end(true);
    hidden_signal_before_exec();
}

int execve(const char *path, char *const arguments[], char *const environment[])
{
    before_exec();
    int status = REAL(execve)(path, arguments, environment);
    hidden_signal_after_failed_exec();
    return status;
}

int execv(const char *path, char *const arguments[])
{
    before_exec();
    int status = REAL(execv)(path, arguments);
    hidden_signal_after_failed_exec();
    return status;
}

int execvp(const char *file, char *const arguments[])
{
    before_exec();
    int status = REAL(execvp)(file, arguments);
    hidden_signal_after_failed_exec();
    return status;
}

int execvpe(const char *file, char *const arguments[], char *const environment[])
{
    before_exec();
    int status = REAL(execvpe)(file, arguments, environment);
    hidden_signal_after_failed_exec();
    return status;
}

int fexecve(int fd, char *const arguments[], char *const environment[])
{
    before_exec();
    int status = REAL(fexecve)(fd, arguments, environment);
    hidden_signal_after_failed_exec();
    return status;
}

int execveat(int directory, const char *path, char *const arguments[], char *const environment[],
             int flags)
{
    before_exec();
    int status = REAL(execveat)(directory, path, arguments, environment, flags);
    hidden_signal_after_failed_exec();
    return status;
}
