// SPDX-License-Identifier: Apache-2.0

// What a hook costs: short calls that never wait, many times over. hook_cost.py loads this into an
// interpreter, bare and profiled.

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static int null_fd;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static sem_t semaphore; // zero is how sem_init would leave it
static struct pollfd descriptor;

static void read_byte(void)
{
    char byte;
    if (read(null_fd, &byte, 1) != 0) {
        abort();
    }
}

static void lock_and_unlock(void)
{
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
}

static void post_and_wait(void)
{
    sem_post(&semaphore);
    sem_wait(&semaphore);
}

static void poll_at_once(void)
{
    poll(&descriptor, 1, 0);
}

static void open_and_close(void)
{
    close(open("/dev/null", O_RDONLY));
}

// A call of its own that the library does not wait in: what fcntl costs when it is not hooked.
static void ask_flags(void)
{
    fcntl(null_fd, F_GETFL);
}

static void (*const calls[])(void) = {read_byte,    lock_and_unlock, post_and_wait,
                                      poll_at_once, open_and_close,  ask_flags};

static double now_ns(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

// The least of many short rounds: the machine's other work is not in it.
double hook_cost_ns(int call, int rounds, int calls_per_round);

double hook_cost_ns(int call, int rounds, int calls_per_round)
{
    null_fd = null_fd ? null_fd : open("/dev/null", O_RDWR);
    descriptor = (struct pollfd){null_fd, POLLIN, 0};
    double least = 1e18;
    for (int i = 0; i < rounds; i++) {
        double start = now_ns();
        for (int j = 0; j < calls_per_round; j++) {
            calls[call]();
        }
        double cost = (now_ns() - start) / calls_per_round;
        least = cost < least ? cost : least;
    }
    return least;
}
