// SPDX-License-Identifier: Apache-2.0

// Hooks of functions that begin a thread or end the process.

#include "agent/hook.h"
#include "agent/lifecycle/thread_start.h"
#include "agent/process.h"

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *),
                   void *argument)
{
    return thread_start_create(thread, attributes, start, argument);
}

int thrd_create(thrd_t *thread, thrd_start_t start, void *argument)
{
    return thread_start_create_c11(thread, start, argument);
}

void _exit(int status)
{
    process_end(status);
    REAL(_exit)(status);
    __builtin_unreachable();
}

void _Exit(int status)
{
    process_end(status);
    REAL(_Exit)(status);
    __builtin_unreachable();
}
