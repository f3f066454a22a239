// SPDX-License-Identifier: Apache-2.0
#include "probe.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define KIND_COUNT 8
#define LONG_NS    10000000ul

static const char *const kind_names[KIND_COUNT] = {"gil",     "lock", "sleep", "disk",
                                                   "network", "pipe", "child", "other"};

void show(const char *call, long result)
{
    int error = errno;
    if (result < 0) {
        printf("%s: %ld %s\n", call, result, strerror(error));
    } else {
        printf("%s: %ld\n", call, result);
    }
    fflush(stdout);
    errno = 0;
}

void show_status(const char *call, int status)
{
    printf("%s: %s\n", call, status == 0 ? "0" : strerror(status));
    fflush(stdout);
}

void show_text(const char *what, const char *text)
{
    printf("%s: %s\n", what, text);
    fflush(stdout);
}

static __thread unsigned long before[KIND_COUNT];

static const unsigned long *measured(void)
{
    const unsigned long *(*waits)(void) =
        (const unsigned long *(*)(void))dlsym(RTLD_DEFAULT, "hook_agent_waits");
    return waits ? waits() : NULL;
}

void expect_begin(void)
{
    const unsigned long *now = measured();
    if (now) {
        memcpy(before, now, sizeof before);
    }
}

void expect_end(const char *call, const char *kind)
{
    const unsigned long *now = measured();
    int error = errno;
    for (int i = 0; now && i < KIND_COUNT; i++) {
        bool is_it = strcmp(kind, kind_names[i]) == 0;
        unsigned long ns = now[i] - before[i];
        if (is_it && ns < LONG_NS) {
            printf("%s: only %lu us measured as %s\n", call, ns / 1000, kind);
        } else if (!is_it && ns >= LONG_NS) {
            printf("%s: %lu us measured as %s\n", call, ns / 1000, kind_names[i]);
        }
    }
    errno = error;
}

bool expect_nothing(void)
{
    const unsigned long *now = measured();
    unsigned long sum = 0;
    for (int i = 0; now && i < KIND_COUNT; i++) {
        sum += now[i] - before[i];
    }
    return sum < LONG_NS / 10;
}

struct later_order {
    int delay_ms;
    void (*action)(void *);
    void *argument;
};

static struct later_order order;
static pthread_t later_thread;

static void *run_later(void *unused)
{
    (void)unused;
    usleep((useconds_t)order.delay_ms * 1000);
    order.action(order.argument);
    return NULL;
}

void later(int delay_ms, void (*action)(void *), void *argument)
{
    order = (struct later_order){delay_ms, action, argument};
    pthread_create(&later_thread, NULL, run_later, NULL);
}

void later_join(void)
{
    int error = errno;
    pthread_join(later_thread, NULL);
    errno = error;
}

struct timespec after_ms(int clock, int ms)
{
    struct timespec time;
    clock_gettime(clock, &time);
    time.tv_nsec += ms * 1000000l;
    time.tv_sec += time.tv_nsec / 1000000000;
    time.tv_nsec %= 1000000000;
    return time;
}

static void do_nothing(int number)
{
    (void)number;
}

static pthread_t interrupted;

static void interrupt(void *unused)
{
    (void)unused;
    pthread_kill(interrupted, SIGUSR1);
}

void interrupt_after(int delay_ms)
{
    struct sigaction action = {.sa_handler = do_nothing};
    sigaction(SIGUSR1, &action, NULL);
    interrupted = pthread_self();
    later(delay_ms, interrupt, NULL);
}
