// SPDX-License-Identifier: Apache-2.0
#pragma once

// Threads from their first instruction to their last: what pthread_create does instead.
// Context: any thread

#include <pthread.h>
#include <threads.h>

int thread_start_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *),
                        void *argument);

// Sees to it that the end of the calling thread is noticed. Allocates.
void thread_start_watch_end(void);

int thread_start_create_c11(thrd_t *thread, thrd_start_t start, void *argument);
