// SPDX-License-Identifier: Apache-2.0
#include "probe.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define KIND_COUNT 8
#define LONG_NS    10000000ul

static const char *const kind_names[KIND_COUNT] = {"gil",     "lock", "sleep", "disk",
                                                   "network", "pipe", "child", "other"};

static __thread unsigned long before[KIND_COUNT];

static const unsigned long *(*agent_waits)(void); // NULL: bare

// Before all else: looking it up takes memory and locks, which a program may be about to count.
__attribute__((constructor)) static void find_agent(void)
{
    agent_waits = (const unsigned long *(*)(void))dlsym(RTLD_DEFAULT, "hook_agent_waits");
}

static const unsigned long *measured(void)
{
    return agent_waits ? agent_waits() : NULL;
}

// On a crowded machine writing to a pipe may last: that is not the wait of the call that is shown.
static void print_now(void)
{
    unsigned long start[KIND_COUNT];
    const unsigned long *now = measured();
    if (now) {
        memcpy(start, now, sizeof start);
    }
    fflush(stdout);
    for (int i = 0; now && i < KIND_COUNT; i++) {
        before[i] += now[i] - start[i];
    }
}

void show(const char *call, long result)
{
    int error = errno;
    if (result < 0) {
        printf("%s: %ld %s\n", call, result, strerror(error));
    } else {
        printf("%s: %ld\n", call, result);
    }
    print_now();
    errno = 0;
}

void show_status(const char *call, int status)
{
    printf("%s: %s\n", call, status == 0 ? "0" : strerror(status));
    print_now();
}

void show_text(const char *what, const char *text)
{
    printf("%s: %s\n", what, text);
    print_now();
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

static char state_of(int thread)
{
    char path[32];
    char text[200] = "";
    snprintf(path, sizeof path, "/proc/%d/stat", thread);
    int fd = open(path, O_RDONLY);
    ssize_t len = fd >= 0 ? read(fd, text, sizeof text - 1) : -1;
    close(fd);
    const char *name_end = len > 0 ? strrchr(text, ')') : NULL;
    return name_end ? name_end[2] : 'X';
}

void until_asleep(int thread)
{
    while (strchr("RD", state_of(thread))) {
        usleep(1000);
    }
}

int this_thread(void)
{
    return (int)syscall(SYS_gettid);
}

struct later_order {
    int thread;
    int delay_ms;
    void (*action)(void *);
    void *argument;
};

static struct later_order order;
static pthread_t later_thread;

static void *run_later(void *unused)
{
    (void)unused;
    until_asleep(order.thread);
    usleep((useconds_t)order.delay_ms * 1000);
    order.action(order.argument);
    return NULL;
}

void later(int delay_ms, void (*action)(void *), void *argument)
{
    order = (struct later_order){this_thread(), delay_ms, action, argument};
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
