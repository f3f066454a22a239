// SPDX-License-Identifier: Apache-2.0

// A libcuda.so.1 whose GPU is a clock: what is waited for takes as long as it is told to.

#include <poll.h>
#include <stdint.h>
#include <time.h>

int cuStreamSynchronize(void *stream);
int cuCtxSynchronize(void);
int cuEventSynchronize(void *event);
int cuLaunchKernel(void *function);

static unsigned work_ms = 200;

// The thread's own clock: what is asked again and again takes as long on a busy machine.
static double now_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static __attribute__((noinline)) void ask_again_and_again(double until_s)
{
    while (now_s() < until_s) {
        for (volatile int i = 0; i < 10000; i++) { // it is here most of the time, not in the kernel
        }
    }
}

// As CUDA waits unless it is told otherwise.
int cuStreamSynchronize(void *stream)
{
    (void)stream;
    ask_again_and_again(now_s() + work_ms / 1000.0);
    return 0;
}

// With cudaDeviceScheduleBlockingSync.
int cuCtxSynchronize(void)
{
    poll(0, 0, (int)work_ms);
    return 0;
}

// What never comes.
int cuEventSynchronize(void *event)
{
    (void)event;
    poll(0, 0, -1);
    return 0;
}

// Computes on the processor: no wait for a GPU.
int cuLaunchKernel(void *function)
{
    (void)function;
    ask_again_and_again(now_s() + work_ms / 1000.0);
    return 0;
}
